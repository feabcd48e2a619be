// Sets every formula of the page by KaTeX.
for (const element of document.querySelectorAll(".math")) {
  const text = element.textContent.trim();
  const isDisplayed = text.startsWith("\\[");
  katex.render(text.slice(2, -2), element, {displayMode: isDisplayed, throwOnError: false});
}
