/** The groups of routes, in the order in which they are shown, each with what it is about. */
export const groups = {
  Skills: 'What skills there are, and how each is called.',
  Calls: 'Running skills. A call that ran is answered with 200, however it ended: its `outcome` says how.',
  Workspaces: 'Files of a key that are kept across calls.',
  Prompts: 'Skills selected for a phase or an agent, and put into a prompt.',
  'Audit log': 'What was called, by whom, what came of it, and what proves it.',
  MCP: 'The Model Context Protocol.',
  Daemon: 'The daemon itself: whether it works, and how it is spoken to.',
} as const;

export type Group = keyof typeof groups;
