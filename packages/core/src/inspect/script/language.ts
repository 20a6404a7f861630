/** The languages of scripts. `other`: a program whose text is only searched for commands. */
export type Language = 'python' | 'shell' | 'javascript' | 'powershell' | 'other';

const byExtension: Readonly<Record<string, Language>> = {
  py: 'python',
  pyw: 'python',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  ksh: 'shell',
  fish: 'shell',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'javascript',
  mts: 'javascript',
  cts: 'javascript',
  jsx: 'javascript',
  tsx: 'javascript',
  ps1: 'powershell',
  psm1: 'powershell',
  rb: 'other',
  pl: 'other',
  php: 'other',
  lua: 'other',
  bat: 'other',
  cmd: 'other',
  r: 'other',
  go: 'other',
  rs: 'other',
  c: 'other',
  swift: 'other',
  applescript: 'other',
  java: 'other',
};

/** The language of a program, from its extension or its shebang; `undefined` for other text. */
export function languageOf(path: string, text: string): Language | undefined {
  const extension = /\.([a-z0-9]{1,12})$/i.exec(path.slice(-16))?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(byExtension, extension)) return byExtension[extension];
  const shebang = /^#!([^\n]{1,200})/.exec(text)?.[1];
  if (shebang === undefined) return undefined;
  if (/\bpython/.test(shebang)) return 'python';
  if (/\b(?:ba|z|k|da)?sh\b/.test(shebang)) return 'shell';
  return /\b(?:node|deno|bun)\b/.test(shebang) ? 'javascript' : 'other';
}
