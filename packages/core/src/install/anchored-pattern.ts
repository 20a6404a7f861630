/**
 * Whether a pattern matches a whole text, never a part of it. `*` stands for any characters except `/`, `**` for any
 * characters. Everything else stands for itself.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const expression = pattern
    .split(/(\*+)/)
    .map((part) => {
      if (part === '*') return '[^/]*';
      return part.startsWith('**') ? '.*' : part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^(?:${expression})$`, 's').test(text);
}
