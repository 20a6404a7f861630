/** The tools of phases that wreckit defines in its code, not in its file. Tools of its own harness are required. */
export const wreckitPhaseTools: ReadonlyMap<
  string,
  { tools: readonly string[]; required: readonly string[] }
> = new Map([
  ['research', { tools: ['Read', 'Write', 'Glob', 'Grep'], required: [] }],
  [
    'plan',
    {
      tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'mcp__wreckit__save_prd'],
      required: ['mcp__wreckit__save_prd'],
    },
  ],
  [
    'implement',
    {
      tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'mcp__wreckit__update_story_status'],
      required: ['mcp__wreckit__update_story_status'],
    },
  ],
  ['pr', { tools: ['Read', 'Glob', 'Grep', 'Bash'], required: [] }],
]);
