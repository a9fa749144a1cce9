import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { findCommand } from '../../bin/admin/commands.ts';
import { synthesize } from '../support/template.ts';
import { OUTPUTS } from '../../lib/outputs.ts';
import { QUERIES } from '../../lib/queries.ts';

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
const runbook = read('runbook.md');
const stack = synthesize({ alarmEmail: 'ops@example.com' });

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
const codeOf = (page: string) => matches(page, /^ *```sh\n(.*?)^ *```$/gms);

describe('the runbook', () => {
  test('has a section for each alarm, with its meaning and what to do', () => {
    const alarms = stack
      .all('AWS::CloudWatch::Alarm')
      .map(([id]) => /^Observability(\w+?)[0-9A-F]{8}$/.exec(id)![1]!);
    expect(alarms).toHaveLength(4);
    for (const alarm of alarms) {
      expect(runbook).toMatch(
        new RegExp(
          `^### ${alarm}\n\n\\*\\*Meaning\\.\\*\\*[^#]+?\\*\\*What to do\\.\\*\\*[^#]+?\`\`\`sh`,
          'm',
        ),
      );
    }
  });

  test('asks exactly the questions that are saved', () => {
    const [, asks = ''] = /^## Ask the logs$(.*?)^## /ms.exec(runbook)!;
    const rows = matches(asks, /^\| `([^`]+)` +\|/gm);
    expect(rows).toEqual(Object.keys(QUERIES));
    const asked = new Set(matches(runbook, /^ask "([^"]+)"/gm));
    expect(asked.size).toBeGreaterThan(5);
    for (const question of asked) expect(Object.keys(QUERIES)).toContain(question);
  });

  test('names outputs that the stack has', () => {
    const named = matches(runbook, /\$\(output (\w+)\)/g);
    expect(named.length).toBeGreaterThan(3);
    for (const output of named) expect(Object.values(OUTPUTS)).toContain(output);
    for (const output of Object.values(OUTPUTS))
      expect(stack.template.findOutputs(output)).toHaveProperty(output);
  });
});

describe.each(['runbook.md', 'deploy.md'])('the commands of %s', page => {
  const code = codeOf(read(page));

  test('can be parsed by a shell', () => {
    expect(code.length).toBeGreaterThan(5);
    for (const lines of code) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: lines, encoding: 'utf8' });
      expect({ lines, status, stderr }).toEqual({ lines, status: 0, stderr: '' });
    }
  });

  test('are commands of `npm run admin`', () => {
    const commands = matches(code.join('\n'), /npm run(?: --silent)? admin -- ([a-z-]+(?: [a-z-]+)?)/g);
    expect(commands.filter(words => findCommand(words.split(' ')) === null)).toEqual([]);
  });
});

test('the dashboard stays free: one, with at most 50 metrics', () => {
  const dashboards = Object.values(stack.resources).filter(
    ({ Type }) => Type === 'AWS::CloudWatch::Dashboard',
  );
  expect(dashboards).toHaveLength(1);
  const body = JSON.stringify(dashboards[0]!.Properties);
  // A metric is an array that begins with its namespace, or an expression.
  const metrics = body.match(/\[\\"(?:AWS\/\w+|social-publishing-test)\\",|\\"expression\\":/g) ?? [];
  expect(metrics.length).toBeGreaterThan(20);
  expect(metrics.length).toBeLessThanOrEqual(50);
});

test('a saved query reads the logs of all functions, of which it may name 50', () => {
  const queries = Object.values(stack.resources).filter(({ Type }) => Type === 'AWS::Logs::QueryDefinition');
  expect(queries).toHaveLength(Object.keys(QUERIES).length);
  for (const { Properties } of queries) {
    const groups = Properties!['LogGroupNames'] as unknown[];
    expect(groups).toHaveLength(stack.functions.size);
    expect(groups.length).toBeLessThanOrEqual(50);
  }
});
