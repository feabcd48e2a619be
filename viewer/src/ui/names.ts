// Which bodies are to be seen, by their names.

/** Whether a name is in a list such as "floor, grains[*], wall*": commas between, * for anything; a set's name is all of it. */
export function matches(list: string): (name: string) => boolean {
  const patterns = list.split(",").map((word) => word.trim()).filter((word) => word !== "").map((word) => {
    const text = word.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*");
    return new RegExp(`^${text}(\\[\\d+\\])?$`);
  });
  return (name) => patterns.some((pattern) => pattern.test(name));
}

/** A list with a name more, or without it where it was in it. */
export function toggled(list: string, name: string): string {
  const words = list.split(",").map((word) => word.trim()).filter((word) => word !== "");
  return (words.includes(name) ? words.filter((word) => word !== name) : [...words, name]).join(", ");
}
