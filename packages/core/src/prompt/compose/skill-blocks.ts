import { tierMark } from '../../model-text/model-text.ts';
import { becauseText } from '../../select/reason-text.ts';
import type { SelectedSkill } from '../../select/selection.ts';
import { listedId } from '../../skill/alias.ts';
import { type Skill, skillLocation } from '../../skill/skill.ts';
import { entriesIn, indexHeader, indexLines, indexLinesUsual } from '../skills-index.ts';
import { skillContextFrame, skillsFrame } from '../xml/skill-element.ts';
import { metadataFrame } from '../xml/skill-metadata.ts';
import type { Block, CountedText, Piece } from './block.ts';
import type { CompositionInput, LeftOutPart } from './composition.ts';
import type { SkillTexts } from './skill-texts.ts';

/** A longer body (in UTF-16 code units) is only included when its skill is activated. */
const bodyCharactersMax = 10_000;

type Count = (text: string) => CountedText;

/** Returns the blocks that the selected skills add to a prompt, and the parts left out, with the reason. */
export function skillBlocks(
  input: CompositionInput,
  texts: SkillTexts,
  count: Count,
): { blocks: Block[]; leftOut: LeftOutPart[]; warnings: string[] } {
  const { disclosure = 'metadata', format = 'xml', selection } = input;
  const active = new Set(input.active);
  const leftOut: LeftOutPart[] = [];
  const listed: Piece[] = [];
  const instructions: Piece[] = [];
  const background: Piece[] = [];
  const warnings: string[] = [];
  for (const selected of selection.skills) {
    const { skill } = selected;
    const isActive = active.has(skill.id) || active.has(listedId(skill));
    const verdict = bodyVerdict(skill, isActive, disclosure);
    if (disclosure !== 'bodies' || !verdict.isIn) {
      listed.push(listing(selected, disclosure === 'index' ? 'index' : 'metadata', texts, count));
    }
    if (!verdict.isIn)
      leftOut.push({ id: skill.id, what: 'body', because: `${skill.id} ${verdict.because}` });
    else {
      const isBackground = skill.sidecar.injection.delivery === 'context';
      const left = texts.left(skill);
      if (left.length > 0)
        warnings.push(`the instructions of ${skill.id} have ${left.join(', ')}, which has no value here`);
      (isBackground ? background : instructions).push(body(selected, verdict.because, format, texts, count));
    }
  }
  const index = withinLines(ownFirst(listed, input), input);
  const listFrame = disclosure === 'index' ? indexFrame : metadataFrame;
  const frames = format === 'xml' ? [skillsFrame, skillContextFrame] : [plainFrame, plainFrame];
  return {
    blocks: [
      block('available_skills', 'listing', listFrame, index.pieces, count),
      block('skills', 'body', frames[0] ?? plainFrame, instructions, count),
      block('skills', 'body', frames[1] ?? plainFrame, background, count),
    ],
    leftOut: [...leftOut, ...index.leftOut],
    warnings: [...warnings, ...index.warnings],
  };
}

/** The entries of an index that fit into its lines. */
function withinLines(
  pieces: readonly Piece[],
  { disclosure, agentIndex = [], indexLinesMax }: CompositionInput,
): { pieces: readonly Piece[]; leftOut: LeftOutPart[]; warnings: string[] } {
  if (disclosure !== 'index') return { pieces, leftOut: [], warnings: [] };
  const lines = indexLines(pieces.length);
  if (indexLinesMax === undefined) {
    const isLong = agentIndex.length > 0 && lines > indexLinesUsual;
    const warning = `the agent's index has ${lines} lines, more than ${indexLinesUsual}; to shorten it, give the agent fewer skills, or set index: { maxLines: ${indexLinesUsual} }`;
    return { pieces, leftOut: [], warnings: isLong ? [warning] : [] };
  }
  if (lines <= indexLinesMax) return { pieces, leftOut: [], warnings: [] };
  const shown = pieces.slice(0, entriesIn(indexLinesMax));
  const leftOut = pieces.slice(shown.length).map(
    ({ origin: id }): LeftOutPart => ({
      id,
      what: 'listing',
      because: `${id} is beyond the ${indexLinesMax} lines of the index`,
    }),
  );
  const count = leftOut.length === 1 ? '1 skill is' : `${leftOut.length} skills are`;
  const warning = `the index would have ${lines} lines, more than the limit of ${indexLinesMax}; ${count} left out`;
  return { pieces: shown, leftOut, warnings: [warning] };
}

/**
 * The listing with the agent's own skills first. Untrusted skills come last unless the
 * configuration assigns them to the agent, so an untrusted sidecar displaces no other skill.
 */
function ownFirst(
  listed: readonly Piece[],
  { agentIndex = [], selection }: Pick<CompositionInput, 'agentIndex' | 'selection'>,
): readonly Piece[] {
  if (agentIndex.length === 0) return listed;
  const untrusted = new Set(
    selection.skills.flatMap(({ skill, because }) => {
      const isConfigured = because.kind === 'agent' && because.namedBy === 'configuration';
      return skill.tier === 'untrusted' && !isConfigured ? [skill.id] : [];
    }),
  );
  const listedIds = new Map(selection.skills.map(({ skill }) => [skill.id, listedId(skill)]));
  const places = new Map(agentIndex.map(({ id }, place) => [id, place]));
  const rankOf = ({ origin }: Piece) =>
    (places.get(origin) ?? places.get(listedIds.get(origin) ?? '') ?? agentIndex.length) +
    (untrusted.has(origin) ? agentIndex.length + 1 : 0);
  return listed.toSorted((a, b) => rankOf(a) - rankOf(b));
}

interface Frame {
  begin: string;
  between: string;
  end: string;
}

const indexFrame: Frame = { begin: `${indexHeader}\n`, between: '\n', end: '' };
const plainFrame: Frame = { begin: '', between: '\n\n', end: '' };

function bodyVerdict(
  skill: Skill,
  isActive: boolean,
  disclosure: CompositionInput['disclosure'],
): { isIn: boolean; because: string } {
  const { mode, delivery } = skill.sidecar.injection;
  if (isActive) return { isIn: true, because: 'active' };
  if (disclosure !== 'bodies' && mode !== 'always')
    return { isIn: false, because: 'is listed but not active' };
  // Any folder in a project is discovered. Being found there does not make it trusted.
  if (disclosure !== 'bodies' && skill.tier === 'untrusted')
    return { isIn: false, because: 'is untrusted, so injection.mode: always only lists it' };
  const where = `it can be read at ${skillLocation(skill)}`;
  if (delivery === 'reference') return { isIn: false, because: `is delivered as a reference: ${where}` };
  if (skill.body.length > bodyCharactersMax) {
    const length = `has ${skill.body.length} characters, more than ${bodyCharactersMax}`;
    return { isIn: false, because: `${length}: ${where}` };
  }
  return {
    isIn: true,
    because: mode === 'always' ? 'injection.mode is always' : 'all bodies were requested',
  };
}

function listing(
  { skill, because }: SelectedSkill,
  kind: 'metadata' | 'index',
  texts: SkillTexts,
  count: Count,
): Piece {
  // All of it is `open`, because an entry is never cut.
  const [open, nothing] = [texts[kind](skill), count('')];
  return { kind, origin: skill.id, because: becauseText(because), open, text: nothing, close: nothing };
}

function body(
  { skill, because }: SelectedSkill,
  verdict: string,
  format: 'xml' | 'plain',
  texts: SkillTexts,
  count: Count,
): Piece {
  const piece = { kind: 'skill', origin: skill.id, because: `${becauseText(because)}; ${verdict}` } as const;
  if (format === 'xml') return { ...piece, ...texts.xmlTags(skill), text: texts.xmlBody(skill) };
  // Without tags, a line is the only mark that an untrusted body can have.
  const mark = skill.tier === 'untrusted' ? `${tierMark(skill.tier)}${skill.id}\n` : '';
  return { ...piece, open: count(mark), text: texts.plainBody(skill), close: count('') };
}

function block(
  slot: Block['slot'],
  what: Block['what'],
  { begin, between, end }: Frame,
  pieces: readonly Piece[],
  count: Count,
): Block {
  return { slot, what, begin: count(begin), between: count(between), end: count(end), pieces };
}
