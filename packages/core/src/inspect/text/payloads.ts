import type { TextRule } from './text-rule.ts';

const encodedSentence =
  'Encoded text is decoded and run, and no reader sees what runs. Decode it and read it; do not run it.';
const remoteSentence =
  'Code from the network is run: its author can change it after your review. Do not grant this host; ask for the code itself.';
const shellSentence =
  'The text connects a shell to another machine, which is how an attacker takes over a computer. Do not use the skill.';

/** Code that hides what it runs, or gets it from elsewhere. */
export const payloadRules: readonly TextRule[] = [
  {
    rule: 'payload-encoded',
    words: ['base64', 'openssl', 'xxd', 'certutil', 'gunzip', 'rev', 'b64decode'],
    pattern:
      /\b(?:base64\s+(?:-[dD]i?\b|--decode)|openssl\s+(?:base64|enc)\s[^|\n]{0,60}-d\b|xxd\s+-r\b)[^|\n]{0,120}(?:\|\s*(?:gunzip|zcat|xz|rev|tr)[^|\n]{0,60}){0,2}\|\s*(?:sudo\s+)?(?:\/bin\/)?(?:(?:ba|z|da)?sh|python3?|node|perl|ruby)\b/gi,
    explained: 'warning',
    sentence: encodedSentence,
  },
  {
    rule: 'payload-encoded',
    words: ['base64'],
    pattern:
      /\b(?:eval|(?:ba|z)?sh\s+-c|source)\s+["']?(?:\$\(|<\(|`)[^)`\n]{0,300}\bbase64\s+(?:-[dD]\b|--decode)/gi,
    explained: 'warning',
    sentence: encodedSentence,
  },
  {
    rule: 'payload-encoded',
    words: ['exec', 'eval', 'compile', 'loads', 'function', 'settimeout'],
    pattern:
      /\b(?:exec|eval|compile|Function|setTimeout|marshal\.loads|__import__\(["']marshal["']\)\.loads)\s*\([^\n]{0,120}(?:b64decode|b32decode|b85decode|a85decode|unhexlify|fromhex|zlib\.decompress|lzma\.decompress|bz2\.decompress|atob\s*\(|["']base64["']|["']hex["']|rot_?13|fromCharCode)/g,
    explained: 'warning',
    sentence: encodedSentence,
  },
  {
    rule: 'payload-encoded',
    words: ['powershell', 'pwsh', 'encodedcommand', 'enc'],
    pattern:
      /\b(?:powershell|pwsh)(?:\.exe)?\s[^\n]{0,120}-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,300}/gi,
    explained: 'warning',
    sentence: encodedSentence,
  },
  {
    rule: 'payload-remote',
    words: ['exec', 'eval', 'function', 'import', 'loads'],
    pattern:
      /\b(?:exec|eval|compile|Function|pickle\.loads|marshal\.loads)\s*\([^\n]{0,60}(?:requests\.get|urlopen|httpx\.get|await\s+fetch|fetch\s*\(|axios\.get|\.read\(\)\.decode)|\bawait\s+import\s*\(\s*["'`]https?:/g,
    explained: 'warning',
    sentence: remoteSentence,
  },
  {
    rule: 'payload-remote',
    words: ['follow', 'obey', 'execute', 'apply', 'instructions', 'fetch', 'read', 'download', 'load'],
    pattern:
      /\b(?:fetch|read|download|load|retrieve|get|open)\b[^\n.]{0,80}https?:\/\/[^\s)\]>"'`]{1,200}[^\n]{0,40}\b(?:follow|obey|execute|carry out|apply|do)\s+(?:(?:all|any|every|the|its|exactly|those|these|what|whatever)\s+){0,3}(?:instructions?|steps|commands|directions|it says)\b/gi,
    explained: 'warning',
    sentence:
      'The instructions are on a page that its owner can change after your review. Ask for the text itself, and review that.',
  },
  {
    rule: 'reverse-shell',
    words: ['dev', 'nc', 'ncat', 'socat', 'mkfifo', 'pty', 'dup2'],
    pattern:
      /\/dev\/(?:tcp|udp)\/[\w.$-]|\b(?:nc|ncat)\b[^\n]{0,60}\s-(?:e|c)\s|\bsocat\b[^\n]{0,120}exec:|\bmkfifo\b[^\n]{0,160}\bnc\b|\bbash\s+-i\s*[>&]|\bpty\.spawn\s*\(|\bos\.dup2\s*\(\s*\w+\.fileno/gi,
    explained: 'warning',
    sentence: shellSentence,
  },
];
