/** What an answer 405 needs to know of a route. */
export interface RouteKey {
  method: string;
  path: string;
}

/** Returns the methods of a concrete path: of `/posts/validate`, not those of `/posts/{id}`. Empty for an unknown path. */
export function allowedMethods(routes: readonly RouteKey[], path: string): string[] {
  const matching = routes.filter(route => matches(route.path, path));
  const least = Math.min(...matching.map(parameterCount));
  const closest = matching.filter(route => parameterCount(route) === least);
  return [...new Set(closest.map(({ method }) => method))];
}

const parameterCount = ({ path }: RouteKey) => path.split('{').length - 1;

function matches(template: string, path: string): boolean {
  const parts = path.split('/');
  const expected = template.split('/');
  return (
    parts.length === expected.length &&
    expected.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}
