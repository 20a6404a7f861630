/** Encodes text of callers and skills as JSON, because PostgreSQL refuses U+0000. */
export function jsonOf(text: string): string;
export function jsonOf(text: string | null): string | null;
export function jsonOf(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}
