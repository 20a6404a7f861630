/** The files of `@ambit/python` that this version of Ambit uses, with their SHA-256. `npm run build:python` writes them here. */
export const pythonDigests: Readonly<Record<string, string>> = {
  'python.wasm.br': '3d1e7c85d6e6284a2a768a72a187af391f8d2e30b71f56db46a723c1e072f7cc',
  'stdlib.zip.br': '1ece786d4195fddd84377471d8c3cf277be18dc31d123f0a940d69dfebf673a6',
};
