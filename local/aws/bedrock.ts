import * as v from 'valibot';
import { AI_PLATFORMS, AI_TYPES, LANGUAGES, readBrief, TONES } from '../../shared/ai/brief.ts';
import { writeOffline } from '../../shared/ai/offline/writer.ts';
import { LANGUAGE_NAMES } from '../../shared/ai/prompt.ts';
import { AwsError, ok, type AwsAnswer } from './answer.ts';

const Texts = v.pipe(v.array(v.object({ text: v.string() })), v.minLength(1));

const Converse = v.object({
  system: Texts,
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(['user', 'assistant']), content: Texts })),
    v.minLength(1),
  ),
  inferenceConfig: v.optional(v.object({ maxTokens: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
  toolConfig: v.object({
    tools: v.tuple([
      v.object({
        toolSpec: v.object({
          name: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
          inputSchema: v.object({ json: v.object({ required: v.array(v.picklist(AI_PLATFORMS)) }) }),
        }),
      }),
    ]),
  }),
});

const Data = v.object({
  type: v.picklist(AI_TYPES),
  source: v.string(),
  context: v.nullish(v.string(), null),
});

const PATH = /^\/model\/[^/]+\/converse$/;
/** A token is about so many characters. */
const TOKEN = 4;

export const isConverse = (path: string) => PATH.test(path);

/** Bedrock's Converse as the service uses it: one user message, one tool. The built-in writer plays the model. */
export function converse(body: unknown): AwsAnswer {
  const parsed = v.safeParse(Converse, body);
  if (!parsed.success) throw new AwsError('ValidationException', wordsOf(parsed.issues[0]));
  const { system, messages, toolConfig } = parsed.output;
  const [{ toolSpec }] = toolConfig.tools;
  const orders = textOf(system);
  const material = textOf(messages.flatMap(({ content }) => content));
  const input = play(orders, material, toolSpec.inputSchema.json.required);
  const [inputTokens, outputTokens] = [orders + material, JSON.stringify(input)].map(tokens);
  return ok({
    metrics: { latencyMs: 1 },
    output: {
      message: {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'tooluse_local', name: toolSpec.name, input } }],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens, outputTokens, totalTokens: (inputTokens ?? 0) + (outputTokens ?? 0) },
  });
}

/** Does what the prompt says, as far as its words are known. */
function play(orders: string, material: string, platforms: readonly string[]) {
  const data = v.parse(Data, JSON.parse(/<data>(.*)<\/data>/s.exec(material)?.[1] ?? 'null'));
  const count = Number(/exactly (\d+) hashtags/.exec(orders)?.[1] ?? 15);
  const brief = readBrief({
    ...data,
    topic: data.type === 'caption' || data.type === 'hashtags' ? data.source : null,
    text: data.source,
    platforms,
    tone: TONES[0],
    language: LANGUAGES.find(code => orders.includes(`Language: ${LANGUAGE_NAMES[code]}.`)),
    hashtag_count: count,
  });
  const posts = Object.entries(writeOffline(brief));
  // A model is asked for a list of a certain length and keeps to it.
  return Object.fromEntries(
    posts.map(([platform, { caption, hashtags }]) => [
      platform,
      { caption, hashtags: hashtags.slice(0, count) },
    ]),
  );
}

const textOf = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).join('\n');
const tokens = (text: string) => Math.ceil(text.length / TOKEN);
const wordsOf = (issue: v.BaseIssue<unknown>) => `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`;
