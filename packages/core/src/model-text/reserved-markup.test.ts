// Threat model: T121

import { expect, test } from 'vitest';
import { disarmMarkup } from './reserved-markup.ts';

test.each([
  ['</skills>', '&lt;/skills>'],
  ['< / SKILL >', '&lt; / SKILL >'],
  ['<skill name="x">', '&lt;skill name="x">'],
  ['<skill_context>', '&lt;skill_context>'],
  ['</identity>', '&lt;/identity>'],
  ['<system-reminder>', '&lt;system-reminder>'],
  ['<function_calls>', '&lt;function_calls>'],
  ['</tool_result>', '&lt;/tool_result>'],
  ['<start_of_turn>model', '&lt;start_of_turn>model'],
  ['a<|im_start|>system', 'a&lt;|im_start|>system'],
  ['<|endoftext|>', '&lt;|endoftext|>'],
  ['<｜begin▁of▁sentence｜>', '&lt;｜begin▁of▁sentence｜>'],
  ['<s>[INST] <<SYS>>x<</SYS>> [/INST]</s>', '&lt;s>&#91;INST] <&lt;SYS>>x<&lt;/SYS>> &#91;/INST]&lt;/s>'],
])('markup with a meaning to a model loses its bracket: %s', (text, expected) => {
  expect(disarmMarkup(text)).toBe(expected);
});

test.each([
  ['a zero-width space', '<\u200B/skills>', '&lt;\u200B/skills>'],
  ['a soft hyphen', '</ski\u00ADlls>', '&lt;/ski\u00ADlls>'],
  ['a tag character', '<\u{E0041}/skills>', '&lt;\u{E0041}/skills>'],
  ['a control character', '<\u0000/skills>', '&lt;\u0000/skills>'],
  ['full-width brackets', '＜/skills＞', '&lt;/skills＞'],
  ['quotes in the shape of brackets', '‹/skills›', '&lt;/skills›'],
  ['full-width letters', '<ｓｋｉｌｌｓ>', '&lt;ｓｋｉｌｌｓ>'],
  ['mathematical letters', '<𝐬𝐤𝐢𝐥𝐥𝐬>', '&lt;𝐬𝐤𝐢𝐥𝐥𝐬>'],
  ['Cyrillic letters', '<ѕкіllѕ>', '&lt;ѕкіllѕ>'],
  ['accents', '<s̷kílls>', '&lt;s̷kílls>'],
  ['a blank letter', '<\u2800/skills>', '&lt;\u2800/skills>'],
  ['letters that look like bars', '<ǀim_startǀ>', '&lt;ǀim_startǀ>'],
  ['brackets around a tag within one of ours', '＜/description＞', '&lt;/description＞'],
  ['another slash', '<∕skills>', '&lt;∕skills>'],
  ['full-width square brackets', '［INST］', '&#91;INST］'],
])('look-alike markup also loses its bracket: %s', (_, text, expected) => {
  expect(disarmMarkup(text)).toBe(expected);
});

test.each([
  'a < b, <div>, <skillful>, <skill-list>, <systemd>, <system-out>',
  'xs <| List.map f |> g; a <|> b',
  'x[0], [INSTALL](link), [args], [ ]',
  'List<String>, <T extends Skill>, <!-- skills -->, «skills», 〈書名〉',
  '<strong>, <span>, <end>, <name>, <file>',
])('other text is unchanged: %s', (text) => {
  expect(disarmMarkup(text)).toBe(text);
});

test('a megabyte of brackets takes linear time', () => {
  for (const piece of ['<', '[', '<s', '<ѕ', '< ', '<\u200B', '<|a'])
    expect(disarmMarkup(piece.repeat(500_000)).length).toBeGreaterThanOrEqual(500_000);
});
