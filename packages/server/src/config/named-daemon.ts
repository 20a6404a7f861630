import { z } from 'zod';
import { anchoredPath } from './file/plain-values.ts';
import { section } from './keys.ts';

/** The base URL of a daemon: scheme, host and port. */
const Address = z
  .string()
  .refine(
    (text) => isOrigin(text),
    'write an address such as https://ambit.example.org:7433, with nothing after the port',
  )
  .transform((text) => new URL(text).origin);

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, href, host } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${protocol}//${host}/`;
}

/** The daemon that a command calls, and the file with the key for it. Only variables and flags name them, never a file. */
export function namedDaemonKeys(folder: string, home: string) {
  return section(
    z.strictObject({
      url: Address.optional().meta({ env: 'AMBIT_URL', flag: '--url' }),
      keyFile: anchoredPath(folder, home).optional().meta({ env: 'AMBIT_KEY_FILE', flag: '--key-file' }),
    }),
  );
}
