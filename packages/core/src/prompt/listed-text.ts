/** What the Agent Skills specification allows a description; loading only warns of more. */
const charactersMost = 1024;

/** A skill's name or description as a listing shows it: cut, so that no single skill fills everybody's prompt. */
export function listedText(text: string): string {
  return text.length <= charactersMost ? text : `${text.slice(0, charactersMost - 1).toWellFormed()}…`;
}
