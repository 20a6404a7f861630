/**
 * The files of `@ambit/python` that this version of Ambit uses, with their SHA-256. `npm run build:python`
 * writes them here.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const pythonDigests = {
  'python.wasm.br': '6814d00cab2beabf5ba6ab618e63524576e8641ded0dcadbb4a7c0782d7009fb',
  'stdlib.zip.br': '13da4754f11f290c8da6ba1cdb0a00f226926815aee7748aa5bbb1191c70a207',
};
