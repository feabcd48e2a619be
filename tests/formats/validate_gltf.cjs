// node validate_gltf.cjs FILE: the Khronos validator's report as JSON.
const {readFileSync} = require("node:fs");
const {validateBytes} = require("../../viewer/node_modules/gltf-validator");

validateBytes(new Uint8Array(readFileSync(process.argv[2]))).then((report) => console.log(JSON.stringify(report)));
