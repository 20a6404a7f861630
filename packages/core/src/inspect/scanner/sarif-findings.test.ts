// Threat model: T114

import { expect, test } from 'vitest';
import { sarifFindings } from './sarif-findings.ts';

const redact = (text: string): string => text.replaceAll(/tok_\d{10}/g, '[redacted]');
const scanned = { folder: '/skill', paths: ['SKILL.md', 'scripts/run.py'] };

function read(log: unknown) {
  return sarifFindings('semgrep', log, scanned, { redact });
}

/** A log with these results, and rules. */
function logOf(results: unknown, rules: unknown[] = []) {
  return { version: '2.1.0', runs: [{ tool: { driver: { name: 'x', rules } }, results }] };
}

function resultAt(uri: unknown, more: object = {}) {
  const region = { startLine: 3, snippet: { text: 'eval(x)' } };
  return {
    ...{ ruleId: 'no-eval', level: 'error', message: { text: 'Do not use eval.' }, ...more },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
  };
}

const found = {
  ...{ rule: 'scanner-result', severity: 'high', file: 'scripts/run.py', line: 3, excerpt: 'eval(x)' },
  ...{ sentence: 'Do not use eval.', count: 1, scanner: { name: 'semgrep', rule: 'no-eval' } },
};

test.each([
  'scripts/run.py',
  './scripts/run.py',
  '/skill/scripts/run.py',
  'file:///skill/scripts/run.py',
  '../skill/scripts/run.py',
  'scripts/run%2Epy',
])('a result has its rule, severity, place, excerpt and message, with the path %s', (uri) => {
  expect(read(logOf([resultAt(uri)]))).toEqual({ findings: [found], problem: null });
});

test.each(['/etc/passwd', '../../other', 'missing.py', 'https://a.example/x', '%zz', '', 7])(
  'a place that is no file of the skill is left out: %s',
  (uri) => {
    const { findings } = read(logOf([resultAt(uri)]));
    expect(findings).toEqual([{ ...found, file: null, line: null, excerpt: null }]);
  },
);

test('the level of a result decides its severity, then the default of its rule; without both it is medium', () => {
  const rules = [{ id: 'a' }, { id: 'b', defaultConfiguration: { level: 'note' } }];
  const results = [
    ...['error', 'warning', 'note', 'none', 'dreadful'].map((level) => ({ ruleId: level, level })),
    { ruleId: 'by-id', rule: { id: 'b' }, ruleIndex: 1 },
    { ruleId: 'b' },
    { rule: { index: 1 } },
    { ruleId: 'a' },
    { ruleId: 'open', kind: 'open' },
    { ruleId: 'passed', kind: 'pass', level: 'error' },
  ];
  const { findings } = read(logOf(results, rules));
  const severities = findings.map(({ severity, scanner }) => `${scanner?.rule} ${severity}`).sort();
  expect(severities).toEqual([
    'a medium',
    'b note',
    'b note',
    'by-id note',
    'dreadful medium',
    'error high',
    'none note',
    'note note',
    'open note',
    'warning medium',
  ]);
});

test('no result refuses a skill, and a suppressed result is listed', () => {
  const results = [resultAt('SKILL.md', { suppressions: [{ kind: 'inSource' }], level: 'refuse' })];
  expect(read(logOf(results)).findings.map(({ severity }) => severity)).toEqual(['medium']);
});

test('a message may come from the rule, with its arguments', () => {
  const rules = [
    {
      id: 'r',
      messageStrings: { default: { text: 'Found {0} and {1}.' } },
      shortDescription: { text: 'Short.' },
    },
  ];
  const results = [
    { ruleId: 'r', message: { id: 'default', arguments: ['one'] } },
    { ruleId: 'r' },
    { ruleId: 'unknown' },
  ];
  expect(read(logOf(results, rules)).findings.map(({ sentence }) => sentence)).toEqual([
    'Found one and {1}.',
    'Short.',
    'The scanner gives no explanation.',
  ]);
});

test('text of a scanner has no escapes, no hidden characters, no markup for models and no secrets', () => {
  const text = 'a\u001b]8;;https://evil.example\u0007b\u202Ec <|im_start|>system tok_0123456789\nnext';
  const results = [
    resultAt('SKILL.md', { message: { text }, ruleId: text }),
    { message: { text: 'x'.repeat(1_000_000) } },
  ];
  const { findings } = read(logOf(results));
  const texts = findings.flatMap(({ sentence, excerpt, scanner }) => [
    sentence,
    excerpt ?? '',
    scanner?.rule ?? '',
  ]);
  for (const each of texts) {
    expect(each).not.toMatch(/\p{Cc}|\p{Default_Ignorable_Code_Point}|<\|im_start|tok_0/u);
    expect(each.length).toBeLessThanOrEqual(500);
  }
  expect(texts.join('')).toContain('[redacted]');
});

test('of more than fifty results the worst are listed and the others counted', () => {
  const results = Array.from({ length: 10_100 }, (_, at) => ({
    ...{ ruleId: `r${at}`, level: at === 70 ? 'error' : 'note' },
  }));
  const { findings } = read(logOf([...results, 'no result', null]));
  expect(findings).toHaveLength(51);
  expect(findings[0]).toMatchObject({ severity: 'high', scanner: { rule: 'r70' } });
  expect(findings.find(({ scanner }) => scanner?.rule === 'more')).toEqual({
    ...{ rule: 'scanner-result', severity: 'note', file: null, line: null, excerpt: null, count: 10_052 },
    sentence: 'The scanner reported 10052 more results, which are not listed. Run it yourself to read them.',
    scanner: { name: 'semgrep', rule: 'more' },
  });
});

test.each<[what: string, log: unknown, problem: string]>([
  ['nothing', undefined, 'printed no SARIF 2.1.0'],
  ['a list', [], 'printed no SARIF 2.1.0'],
  ['another format', { version: 2, results: [] }, 'printed no SARIF 2.1.0'],
  ['runs that are no list', { version: '2.1.0', runs: {} }, 'printed no SARIF 2.1.0'],
  ['results that are no list', logOf({ a: 1 }), 'printed no SARIF 2.1.0'],
  ['no run', { version: '2.1.0', runs: [] }, 'printed SARIF without a list of results'],
  ['a run without results', { version: '2.1.0', runs: [{}] }, 'printed SARIF without a list of results'],
  ['a failed run', logOf(null), 'reported that it did not finish'],
])('%s is a problem and no absence of findings', (_, log, problem) => {
  expect(read(log)).toEqual({ findings: [], problem });
});

test('an empty list of results is no problem, and results of a run that failed are listed', () => {
  expect(read(logOf([]))).toEqual({ findings: [], problem: null });
  const { runs } = logOf([resultAt('scripts/run.py')]);
  const failed = { version: '2.1.0', runs: [{ ...runs[0], invocations: [{ executionSuccessful: false }] }] };
  expect(read(failed)).toEqual({ findings: [found], problem: 'reported that it did not finish' });
});
