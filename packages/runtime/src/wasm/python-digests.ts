/** The files of `@ambit/python` that this version of Ambit uses, with their SHA-256. `npm run build:python` writes them here. */
export const pythonDigests: Readonly<Record<string, string>> = {
  'python.wasm.br': 'cb294733075d316a8d60a3b0a79028cca81070fb960a5413997e6c0e1f8cc0a7',
  'stdlib.zip.br': 'f06d16c4b5f897b0488791d52d5f8127a1ab8e47738858de98c97415ad586865',
};
