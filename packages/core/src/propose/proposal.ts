import { z } from 'zod';
import { RecordedCapabilities } from '../capability/capabilities.ts';
import { Denial } from '../capability/denial.ts';
import { RecordedTier } from '../capability/tier.ts';

const seen = {
  calls: z.number().describe('The number of calls.'),
  first: z.iso.datetime().describe('The start of the first of these calls.'),
  last: z.iso.datetime(),
};

const { capability } = Denial.shape;

/** An item that calls lacked. Each is a decision: a skill can provoke refusals on purpose. */
export const ProposedItem = z
  .strictObject({
    capability,
    item: z.string().describe('As a grant names it; a network rule or a secret on one line.'),
    ...seen,
    from: z
      .enum(['refusal', 'output', 'script'])
      .describe(
        '`refusal`: Ambit refused it. `output`: only the error message of a failed run names it, and a skill can print anything. `script`: the text of its scripts names it, and the machine of the call had it.',
      ),
    grant: z.boolean().describe('Whether the grant lacks it.'),
    scripts: z
      .array(z.string().nullable())
      .readonly()
      .describe('The runs in its `ambit.yaml` whose request lacks it; `null` is the default run.'),
    warning: z.string().nullable().describe('What it opens, if that is more than it seems.'),
    broad: z.boolean().describe('Whether it opens much more than one call needs.'),
  })
  .meta({ id: 'ProposedItem', description: 'An item that calls of a skill lacked.' });
export type ProposedItem = z.output<typeof ProposedItem>;

/** An item that is not proposed. */
export const ExcludedItem = z
  .strictObject({
    capability,
    item: z.string(),
    ...seen,
    reason: z.string().describe('The predicate of a sentence about the item.'),
    remedy: z.string().describe('What would have to change.'),
  })
  .meta({ id: 'ExcludedItem', description: 'An item that calls lacked and that no grant covers.' });
export type ExcludedItem = z.output<typeof ExcludedItem>;

/** The smallest change that covers what recorded calls of a skill lacked. */
export const Proposal = z
  .strictObject({
    skill: z.string(),
    digest: z.string(),
    tier: RecordedTier,
    records: z
      .strictObject({
        count: z.number().describe('The number of records that were read.'),
        refused: z.number().describe('How many of them lack something.'),
        first: z.iso.datetime().nullable().describe('The start of the oldest; `null` without records.'),
        last: z.iso.datetime().nullable(),
        more: z.boolean().describe('Whether there are older records that were not read.'),
        cut: z
          .boolean()
          .describe('Whether there are more than 100 different refusals; the oldest are left out.'),
      })
      .describe('The records of the skill that were read, newest first.'),
    items: z.array(ProposedItem).readonly().describe('Narrow items first, broad items last.'),
    grant: RecordedCapabilities.describe("What to add to the operator's grant."),
    requests: z
      .array(
        z.strictObject({
          script: z.string().nullable().describe('The name in `run.scripts`; `null` for the default run.'),
          capabilities: RecordedCapabilities.describe('What to add to its request.'),
        }),
      )
      .readonly()
      .describe('What to add in its `ambit.yaml`.'),
    excluded: z.array(ExcludedItem).readonly(),
    unused: z
      .array(z.strictObject({ capability, item: z.string() }))
      .readonly()
      .describe(
        'Granted items that none of the calls used. Items whose use cannot be observed are not listed.',
      ),
  })
  .meta({
    id: 'Proposal',
    description: 'The smallest change of a grant that covers what recorded calls of a skill lacked.',
  });
export type Proposal = z.output<typeof Proposal>;
