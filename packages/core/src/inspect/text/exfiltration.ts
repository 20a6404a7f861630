import type { TextRule } from './text-rule.ts';

const collectors = String.raw`(?:webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|discord(?:app)?\.com\/api\/webhooks|api\.telegram\.org\/bot|hooks\.slack\.com\/services|pastebin\.com|paste\.rs|transfer\.sh|file\.io|0x0\.st|interact\.sh|oast\.\w+|burpcollaborator\.net|beeceptor\.com|dnslog\.cn)`;

/** Places of credentials on a machine. */
const credentialPlaces = String.raw`(?:(?:~|\$HOME|\/root|\/home\/[\w.-]{1,40}|%USERPROFILE%)?[\\/]?\.(?:ssh|aws|gnupg|kube|azure)[\\/][\w.*-]{0,40}|\.(?:netrc|npmrc|pypirc|git-credentials|docker\/config\.json|config\/gh\/hosts\.yml)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/shadow\b|\bLogin Data\b|\bcookies\.sqlite\b|\blogin\.keychain|find-generic-password|\bdump-keychain\b|\bwallet\.dat\b|\.config\/solana|\.ethereum\/keystore|\bseed phrase\b|\/proc\/(?:self|\d+|\*)\/environ|169\.254\.169\.254)`;

const sends =
  '(?:send|post|upload|submit|forward|transmit|exfiltrate|email|attach|include|append|encode|report|share|pass)';
const privateData = String.raw`(?:\.env\b|api[- _]?keys?|access tokens?|credentials?|passwords?|secrets?|private keys?|ssh keys?|environment variables?|conversation(?: history)?|chat history|system prompt|source code|user['\u2019]s (?:files|data|messages|emails?)|browser cookies|seed phrase|contents? of (?:~|\/|the (?:user|home)))`;

/** Text that takes private data, or sends data where it does not belong. */
export const exfiltrationRules: readonly TextRule[] = [
  {
    rule: 'data-collector',
    words: [
      ...[
        'webhook',
        'requestbin',
        'pipedream',
        'ngrok',
        'trycloudflare',
        'discord',
        'discordapp',
        'telegram',
        'slack',
      ],
      ...[
        'pastebin',
        'paste',
        'transfer',
        'file',
        '0x0',
        'interact',
        'oast',
        'burpcollaborator',
        'beeceptor',
        'dnslog',
      ],
    ],
    pattern: new RegExp(String.raw`\bhttps?:\/\/(?:[\w-]{1,63}\.){0,4}${collectors}`, 'gi'),
    explained: 'warning',
    sentence:
      'The host receives whatever anyone sends it, and is a usual end of stolen data. Do not grant it unless it is yours.',
  },
  {
    rule: 'data-collector',
    words: ['http', 'https'],
    pattern: /\bhttps?:\/\/(?:\d{1,3}\.){3}\d{1,3}(?=[:/\s"'`)]|$)/g,
    explained: 'warning',
    accepts: ({ text }) =>
      !/\/\/(?:127\.|10\.|192\.168\.|0\.0\.0\.0|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(text),
    sentence:
      'A server is named by its address alone, so that no name says whose it is. Do not grant it unless you know it.',
  },
  {
    rule: 'data-beacon',
    words: ['http', 'https'],
    pattern:
      /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&/=](?:\{|\$|<|\[|%7B|(?:DATA|ENCODED|BASE64|SECRET|KEY|CONTENT|SUMMARY)\b)[^)\n]{0,120}\)/gi,
    explained: 'quoted',
    sentence:
      'An image’s address has room for data: showing the image sends it to the host, without a question. Do not let an agent fill it in.',
  },
  {
    rule: 'data-credentials',
    words: [
      ...[
        'ssh',
        'aws',
        'gnupg',
        'kube',
        'azure',
        'netrc',
        'npmrc',
        'pypirc',
        'git',
        'docker',
        'gh',
        'id_rsa',
        'id_ed25519',
      ],
      ...[
        'id_ecdsa',
        'shadow',
        'login',
        'cookies',
        'find',
        'dump',
        'wallet',
        'solana',
        'ethereum',
        'seed',
        'environ',
        '169',
      ],
    ],
    pattern: new RegExp(credentialPlaces, 'gi'),
    explained: 'warning',
    severity: 'medium',
    sentence:
      'The text names a place of keys or passwords. The sandbox has none of it; outside, nothing stops the skill. Do not grant this path.',
  },
  {
    rule: 'data-credentials',
    words: [
      'send',
      'post',
      'upload',
      'submit',
      'forward',
      'transmit',
      'exfiltrate',
      'email',
      'attach',
      'include',
      'append',
      'encode',
      'report',
      'share',
      'pass',
    ],
    pattern: new RegExp(
      String.raw`\b${sends}\b[^\n.]{0,100}${privateData}[^\n]{0,100}(?:\b(?:to|at|in|as)\b[^\n]{0,40}(?:https?:\/\/|\bURL\b|\bendpoint\b|\bwebhook\b|\bparameter\b|\bserver\b|\bheader\b|\S{1,40}@\S))`,
      'gi',
    ),
    explained: 'warning',
    sentence:
      'The text asks an agent to send private data to a server. Do not use the skill unless you want exactly that.',
  },
  {
    rule: 'data-credentials',
    words: ['cat', 'curl', 'd', 'data', 'f', 't', 'environ', 'env', 'printenv'],
    pattern:
      /\bcurl\b[^\n]{0,160}(?:(?:-d|-F|-T|--data[\w-]*|--upload-file)\s?["']?[^\s]{0,40}@[^\s]{0,40}(?:\.env\b|\.ssh|\.aws|id_rsa|credentials)|\$\((?:cat\s+[^)]{0,60}(?:\.env\b|\.ssh|\.aws|id_rsa|credentials)|env|printenv)[^)]{0,60}\))|(?:\b(?:env|printenv)|\bcat\s+[^|\n]{0,60}(?:\.env|\.ssh|\.aws|id_rsa|credentials)[^|\n]{0,40})\s*\|[^\n]{0,80}\b(?:curl|wget|nc)\b/gi,
    explained: 'warning',
    sentence:
      'A command sends keys, or the whole environment, to a server. Do not run it outside the sandbox, and do not grant the host.',
  },
];
