// Builds one HTML file with script and style inside: the server has one thing to serve, and an exported page
// opens from the disk, where browsers load no modules from other files.
import {defineConfig} from "vite";

function inline() {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      let html = page.source;
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        const text = file.type === "chunk" ? file.code.replaceAll("</script", "<\\/script") : file.source;
        const tag = file.type === "chunk" ? new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`)
                                          : new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
        const element = file.type === "chunk" ? `<script type="module">${text}</script>` : `<style>${text}</style>`;
        if (!tag.test(html)) throw new Error(`${name} is not in the page`);
        html = html.replace(tag, "");
        html = file.type === "chunk" ? html.replace("</body>", () => `${element}\n</body>`)
                                     : html.replace("</head>", () => `${element}\n</head>`);
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [inline()],
  build: {target: "es2022", modulePreload: false, assetsInlineLimit: 1 << 20, chunkSizeWarningLimit: 2000},
});
