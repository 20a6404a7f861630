/**
 * Text that goes into a prompt as it is, but for the tags that mean something there: those lose their `<`, so that a file
 * or a plain body cannot close them, open them or forge a skill. Where skills stand in XML, all of their text is escaped
 * instead (`xmlText`).
 */
export function disarmTags(text: string): string {
  return text.replace(ourTags, '&lt;');
}

// One run of blanks for each `<`, so that no text makes it slow.
const ourTags = /<(?=\s*(?:\/\s*)?(?:identity|available_skills|skills?|skill_[a-z]+)(?![\w-]))/gi;
