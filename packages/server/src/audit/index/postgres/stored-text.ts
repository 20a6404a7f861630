/** Encodes text of callers and skills as JSON, because PostgreSQL refuses U+0000. */
export function stored(text: string): string;
export function stored(text: string | null): string | null;
export function stored(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}
