import { printableLine } from '../../../output/printable.ts';

/** Describes the signer of a version, in a line. */
export function signerText({
  publisher,
  identity,
}: {
  publisher: string | null;
  identity: string | null;
}): string {
  return publisher === null
    ? 'Not signed by a configured publisher'
    : printableLine(`Signed by ${publisher}, ${identity ?? 'unknown signer'}`);
}
