import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Edges by node: who imports whom. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the paths of all TypeScript files of the project, relative to its root. */
export function sourceFiles(): string[] {
  return globSync('{bin,functions,lib,local,shared,test,workers}/**/*.ts', { cwd: ROOT })
    .filter(file => !/node_modules|thirteenth\/noticeboard/.test(file))
    .map(file => file.replaceAll(sep, '/'))
    .sort();
}

/** Returns which of the files each of them imports, type imports included. */
export function importGraph(files: readonly string[]): Graph {
  const known = new Set(files);
  return new Map(files.map(file => [file, new Set(importsOf(file).filter(target => known.has(target)))]));
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => join(dirname(file), fileName).replaceAll(sep, '/'));
}

/** Returns the graph of the groups that `groupOf` puts the nodes into; null leaves a node out. */
export function groupedGraph(graph: Graph, groupOf: (node: string) => string | null): Graph {
  const grouped = new Map<string, Set<string>>();
  for (const [node, targets] of graph) {
    const from = groupOf(node);
    if (from === null) continue;
    const edges = grouped.get(from) ?? new Set<string>();
    grouped.set(from, edges);
    for (const target of targets) {
      const to = groupOf(target);
      if (to !== null && to !== from) edges.add(to);
    }
  }
  return grouped;
}

/** Returns every cycle as the sorted list of its nodes: the strongly connected components with more than one (Tarjan). */
export function cyclesOf(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  function visit(node: string): void {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (stack.includes(next)) {
        low.set(node, Math.min(low.get(node)!, index.get(next)!));
      }
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) cycles.push(component.sort());
  }

  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles;
}
