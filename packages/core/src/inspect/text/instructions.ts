import { frontmatterBlock } from '../../skill/frontmatter.ts';
import type { TextRule } from './text-rule.ts';

const hidesSentence =
  'The text asks an agent to act behind your back. An honest skill has no reason to. Do not use it until you know why it asks.';

const addressesModel = /\b(?:assistants?|agents?|claude|gpt|AI|LLM|models?|instructions?)\b/i;
const orders = /\b(?:must|should|run|execute|send|read|fetch|always|first|curl|include|upload)\b/i;

/** Instructions to a model that work against its user. */
export const instructionRules: readonly TextRule[] = [
  {
    rule: 'prompt-override',
    words: ['ignore', 'disregard', 'forget', 'override', 'bypass'],
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|the|your|these|those|of|previous|prior|earlier|above|preceding|other|existing|current|system|safety|security|user['’]s)\s+){1,6}(?:instructions?|prompts?|rules?|guidelines?|directives?|restrictions?|polic(?:y|ies)|messages?|context)\b/gi,
    explained: 'quoted',
    accepts: ({ text }) =>
      /previous|prior|earlier|above|preceding|system|safety|security|all|your|user/i.test(text),
    sentence:
      'The text asks a model to drop its other instructions, which protect you. Do not use the skill until you know why it asks.',
  },
  {
    rule: 'prompt-override',
    words: ['system', 'im_start', 'inst', 'override', 'jailbreak', 'developer'],
    pattern:
      /<\|im_start\|>|\[INST\]|<<SYS>>|<\/?system(?:-reminder)?>|^\s{0,3}\[?(?:SYSTEM|ADMIN|DEVELOPER)(?: MESSAGE| NOTE| OVERRIDE| PROMPT)?\]?\s*:|\b(?:new|updated|real) system prompt\b/gm,
    explained: 'quoted',
    sentence:
      'The text imitates messages of the system, to which models give more weight than to a skill. Do not use the skill until you know why.',
  },
  {
    rule: 'prompt-conceal',
    words: [
      'tell',
      'inform',
      'mention',
      'show',
      'reveal',
      'notify',
      'disclose',
      'alert',
      'report',
      'log',
      'explain',
      'describe',
      'output',
    ],
    pattern:
      /\b(?:do not|don['’]t|never|must not|should not|without|avoid|refrain from)\s+(?:ever\s+|also\s+)?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|show(?:ing)?|reveal(?:ing)?|notify(?:ing)?|disclos(?:e|ing)|alert(?:ing)?|report(?:ing)?|explain(?:ing)?|describ(?:e|ing))\s+(?:(?:this|it|that|anything|the|these|any|of|about|steps?|actions?|commands?|output|to|upload|request|call)\s+){0,6}(?:the |your |our )?(?:user|human|operator|developer|owner|person)\b/gi,
    explained: 'quoted',
    sentence: hidesSentence,
  },
  {
    rule: 'prompt-conceal',
    words: [
      'silently',
      'quietly',
      'secretly',
      'covertly',
      'hide',
      'conceal',
      'background',
      'hidden',
      'invisible',
    ],
    pattern:
      /\b(?:(?:silently|secretly|covertly|quietly)\s+(?:run|execute|send|upload|post|copy|read|collect|install|download|fetch|include|append|add|forward|transmit)|(?:hide|conceal|keep)\s+(?:this|it|these|that|the\s+\w+|all\s+\w+)\s+(?:\w+\s+){0,3}(?:from|hidden from|secret from)\s+(?:the |your )?(?:user|human|operator|developer|reviewer)s?)\b/gi,
    explained: 'quoted',
    sentence: hidesSentence,
  },
  {
    rule: 'prompt-conceal',
    words: ['mention', 'secret', 'asks', 'summary', 'response', 'transcript', 'answer'],
    pattern:
      /\b(?:do not|don['’]t|never)\s+(?:mention|include|reference|reveal|show|write)\s+(?:this|these|any of this|it|the above)\s+(?:\w+\s+){0,3}(?:in|into)\s+(?:the |your |any )?(?:\w+\s+)?(?:summary|response|reply|answer|output|transcript|report|log)s?\b|\bif (?:the user|anyone|asked)[^.\n]{0,60}\b(?:deny|lie|say (?:that )?(?:nothing|you did not))\b/gi,
    explained: 'quoted',
    sentence: hidesSentence,
  },
  {
    rule: 'prompt-comment',
    words: [
      'assistant',
      'agent',
      'claude',
      'model',
      'ai',
      'llm',
      'must',
      'execute',
      'curl',
      'system',
      'instructions',
    ],
    pattern: /<!--[^>]{1,380}/g,
    explained: 'never',
    accepts: ({ text }, { isMarkdown }) => isMarkdown && addressesModel.test(text) && orders.test(text),
    sentence:
      'A comment, which readers of the page do not see, instructs a model. Read it, and ask why it is hidden.',
  },
  {
    rule: 'approval-bypass',
    words: [
      'dangerously',
      'yolo',
      'bypasspermissions',
      'approve',
      'approval',
      'confirmation',
      'permission',
      'full',
      'auto',
      'sandbox',
      'danger',
    ],
    pattern:
      /--dangerously-skip-permissions|--dangerously-bypass-approvals|--yolo\b|\bbypassPermissions\b|\bdanger-full-access\b|--full-auto\b|"?enableAllProjectMcpServers"?\s*[:=]\s*true|\b(?:without|skip|do not|don['’]t|never)\s+(?:ask(?:ing)?|wait(?:ing)?|request(?:ing)?|seek(?:ing)?|requir(?:e|ing))\s+(?:for\s+)?(?:any\s+)?(?:the\s+)?(?:user(?:['’]s)?\s+)?(?:for\s+)?(?:confirmation|permission|approval|consent)\b|\bauto-?approve\s+(?:all|every|any)\b/gi,
    explained: 'warning',
    sentence:
      'The text switches off the questions that an agent asks before it acts. They are your last check. Keep them on.',
  },
  {
    rule: 'load-command',
    words: [],
    pattern: /(?:^|\s)!`[^`\n]{1,200}`/g,
    explained: 'never',
    accepts: ({ text }, { isMarkdown }) =>
      isMarkdown &&
      !/!`(?:git (?:status|diff|log|branch|rev-parse|remote)|gh (?:pr|issue) (?:view|list|diff)|pwd|date|ls)\b[^|;&$`]*`$/.test(
        text.trim(),
      ),
    sentence:
      'Some agents run this command when the skill is loaded, before a model or a person sees it, outside the sandbox. Read it first. Ambit never runs it.',
  },
  {
    rule: 'load-command',
    words: ['hooks'],
    pattern: /^hooks:[ \t\r]*\n(?:[ \t]+[^\n]{0,200}\n){1,4}/gm,
    explained: 'never',
    accepts: ({ index }, { path, text }) =>
      /(?:^|\/)skill\.md$/i.test(path) && index < endOfFrontmatter(text),
    sentence:
      'Some agents run these hooks of the frontmatter as commands, outside the sandbox. Read them first. Ambit never runs them.',
  },
];

/** An offset in a text; 0 without a frontmatter. */
function endOfFrontmatter(text: string): number {
  const { endLine } = frontmatterBlock(text) ?? { endLine: 1 };
  return text.split('\n', endLine - 1).join('\n').length;
}
