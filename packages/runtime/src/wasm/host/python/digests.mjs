/**
 * The files of `@ambit/python` that this version of Ambit uses, with their SHA-256. `npm run build:python`
 * writes them here.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const pythonDigests = {
  'python.wasm.br': '7a1e5ed948a3ebf63b9a478c9243ad73e2876ce40f4d71032e9a924ac67bc324',
  'stdlib.zip.br': '13da4754f11f290c8da6ba1cdb0a00f226926815aee7748aa5bbb1191c70a207',
};
