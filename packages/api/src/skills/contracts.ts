import { Proposal } from '@ambit/core/policy';
import { z } from 'zod';
import { EntityHeaders, json, stream, tagged, unchanged } from '../answer.ts';
import { TimeText, timeWords } from '../audit/parameters.ts';
import { defineContracts } from '../contract.ts';
import { SkillParams, skillProblems } from '../skill-params.ts';
import { SkillDetail, SkillFiles, SkillList } from './answers.ts';
import { SkillPageQuery } from './queries.ts';
import { ToolList } from './tool.ts';

const FileParams = SkillParams.extend({
  path: z
    .string()
    .describe(
      'As in the list, with each part percent-encoded separately. Write the slashes between parts as `/`.',
    ),
});

const ToolQuery = SkillPageQuery.omit({ executable: true }).extend({
  untrusted: z
    .enum(['true', 'false'])
    .meta({ type: 'boolean' })
    .default('false')
    .describe('Whether to include untrusted skills. A model chooses among tools by their own descriptions.'),
});

const usual = {
  method: 'GET',
  head: true,
  scope: 'skills:read',
  params: SkillParams,
  headers: EntityHeaders,
  problems: skillProblems,
} as const;

/** The skills that a key may see: lists, details, files, and proposed grants. */
export const skillContracts = defineContracts('Skills', {
  listSkills: {
    method: 'GET',
    url: '/skills',
    head: true,
    scope: 'skills:read',
    summary: 'List skills',
    description:
      'Every skill that the key may see, by id, and unusable folders under `broken`. `phase`, `agent` and `tag` select the skills that a prompt would get, in its order.',
    query: SkillPageQuery,
    headers: EntityHeaders,
    answers: {
      200: json('The matching skills.', SkillList, {
        ...tagged,
        example: { skills: [], broken: [], brokenCount: 0, next: null },
      }),
      304: unchanged,
    },
    problems: [],
  },
  getSkill: {
    ...usual,
    url: '/skills/:id',
    summary: 'Get a skill',
    description: 'A skill with its files, its scripts and how to call it.',
    answers: { 200: json('The skill.', SkillDetail, tagged), 304: unchanged },
    problems: [...usual.problems, 'SKILL_CHANGED'],
  },
  listTools: {
    method: 'GET',
    url: '/tools',
    head: true,
    scope: 'skills:read',
    summary: 'List skills as tools',
    description:
      'Each executable skill that the key may see, as the definition of a tool: name, description and schema are safe for a model to read. The filters are `q`, `phase`, `agent` and `tag`, as in `GET /skills`, and `untrusted`.',
    query: ToolQuery,
    headers: EntityHeaders,
    answers: {
      200: json('The tools.', ToolList, { ...tagged, example: { tools: [], leftOut: [], next: null } }),
      304: unchanged,
    },
    problems: [],
  },
  getSkillBody: {
    ...usual,
    url: '/skills/:id/body',
    summary: "Get a skill's instructions",
    description:
      'The body of `SKILL.md`, below the frontmatter. It is not escaped: escape it before you put it into a prompt.',
    answers: {
      200: stream('The instructions.', { 'text/markdown': { description: 'Markdown, in UTF-8.' } }, tagged),
      304: unchanged,
    },
  },
  listSkillFiles: {
    ...usual,
    url: '/skills/:id/files',
    summary: "List a skill's files",
    description: "Every file of the folder, with the SHA-256 that the skill's digest covers.",
    answers: { 200: json('The files.', SkillFiles, tagged), 304: unchanged },
  },
  getSkillFile: {
    ...usual,
    url: '/skills/:id/files/*',
    summary: "Get a skill's file",
    description:
      'The bytes of a file. They must match the SHA-256 in the list, which is the `ETag`. UTF-8 files are served as text, others as downloads. Links are not followed.',
    params: FileParams,
    answers: {
      200: stream(
        'The file.',
        {
          'text/markdown': { description: 'A file whose name ends in `.md`, in UTF-8.' },
          'text/plain': { description: 'Any other text, in UTF-8.' },
          'application/octet-stream': { description: 'A file that is not UTF-8.' },
        },
        {
          headers: { ...tagged.headers, 'content-disposition': 'For files that are not text: a file name.' },
        },
      ),
      304: unchanged,
    },
    problems: [...usual.problems, 'FILE_NOT_FOUND', 'SKILL_CHANGED'],
  },
  getProposal: {
    method: 'GET',
    url: '/skills/:id/proposal',
    scope: 'audit:read',
    summary: 'Propose a grant',
    description:
      'The smallest change of the configuration, and of the request of the skill, that covers what its latest recorded calls lacked. Every item is a decision for the operator: a skill can cause refusals on purpose. Broad items are listed last, and `grant` and `requests` leave them out. Changes nothing.',
    params: SkillParams,
    query: z.strictObject({
      since: TimeText.exactOptional().describe(`Calls since then. ${timeWords}`),
      execution: z.string().max(100).exactOptional().describe('Only this call, such as a trial.'),
    }),
    answers: { 200: json('The proposal.', Proposal) },
    problems: skillProblems,
  },
});
