import type { ApiRoute } from '../template/resources.ts';

export interface Match {
  route: ApiRoute;
  pathParameters: Record<string, string>;
}

interface Candidate {
  route: ApiRoute;
  method: string;
  segments: string[];
}

const DEFAULT_ROUTE = '$default';
const isGreedy = (segment: string) => /^\{.+\+\}$/.test(segment);
const isParameter = (segment: string) => /^\{.+\}$/.test(segment);

/**
 * Returns a function that selects a route as API Gateway's HTTP APIs do: the most specific route wins (literal segment,
 * then parameter, then greedy parameter; then method before ANY), and `$default` matches everything else.
 */
export function createRouter(routes: readonly ApiRoute[]): (method: string, path: string) => Match | null {
  const fallback = routes.find(({ key }) => key === DEFAULT_ROUTE);
  const candidates = routes
    .filter(({ key }) => key !== DEFAULT_ROUTE)
    .map(asCandidate)
    .sort((a, b) => rank(a).localeCompare(rank(b)));

  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const candidate of candidates) {
      if (candidate.method !== 'ANY' && candidate.method !== method) continue;
      const pathParameters = parameters(candidate.segments, segments);
      if (pathParameters) return { route: candidate.route, pathParameters };
    }
    return fallback ? { route: fallback, pathParameters: {} } : null;
  };
}

function asCandidate(route: ApiRoute): Candidate {
  const [method = '', path = ''] = route.key.split(' ');
  return { route, method, segments: path.split('/').slice(1) };
}

/** Sort key: literal, parameter or greedy by segment, then the method. */
function rank({ segments, method }: Candidate): string {
  const kinds = segments.map(segment => (isGreedy(segment) ? '2' : isParameter(segment) ? '1' : '0'));
  return `${kinds.join('')} ${method === 'ANY' ? 1 : 0}`;
}

/** Decoded path parameters; null if the path does not match. */
function parameters(pattern: readonly string[], path: readonly string[]): Record<string, string> | null {
  const greedy = pattern.findIndex(isGreedy);
  if (greedy === -1 ? pattern.length !== path.length : path.length <= greedy) return null;
  const values: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const given = path[index] ?? '';
    if (isGreedy(segment)) values[segment.slice(1, -2)] = decode(path.slice(index).join('/'));
    else if (!isParameter(segment)) {
      if (segment !== decode(given)) return null;
    } else if (given === '') return null;
    else values[segment.slice(1, -1)] = decode(given);
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
