import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../local/clock.ts';
import type { LambdaApi } from '../../local/aws/lambda.ts';
import type { LambdaHost } from '../../local/lambda/environment.ts';
import type { FunctionResource } from '../../local/template/lambda.ts';

export interface TestFunctions {
  /** Defines a function by the body of its handler, which may use `event` and `context`. */
  define: (body: string, overrides?: Partial<FunctionResource>) => FunctionResource;
  host: LambdaHost;
  /** Output of the functions. */
  printed: string[];
  clock: ReturnType<typeof createClock>;
  close: () => void;
}

const refuse = () => {
  throw new Error('There is no Lambda here');
};
/** A Lambda for tests that do not call it. */
export const noLambda: LambdaApi = {
  invocations: { accept: refuse },
  mappings: { get: refuse, update: refuse, list: refuse },
  exists: refuse,
};

/** Functions defined in a test, as files of a temporary folder. */
export function testFunctions(): TestFunctions {
  const folder = mkdtempSync(join(tmpdir(), 'functions-'));
  const clock = createClock();
  const printed: string[] = [];
  let count = 0;
  return {
    define: (body, overrides = {}) => {
      const name = `fn-${++count}`;
      const module = join(folder, name);
      writeFileSync(`${module}.js`, `exports.handler = async (event, context) => {${body}\n};\n`);
      return {
        name,
        module,
        handler: 'handler',
        environment: {},
        timeoutS: 10,
        memoryMb: 128,
        allowsRecursion: false,
        ...overrides,
      };
    },
    host: {
      environment: {},
      localHosts: [],
      clock: clock.memory,
      log: (_, __, text) => void printed.push(text),
    },
    printed,
    clock,
    close: () => rmSync(folder, { recursive: true }),
  };
}
