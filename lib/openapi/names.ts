import type { Route } from '../../shared/http/route.ts';

/** `createPost` and `Request` become `CreatePostRequest`. */
export const typeName = ({ operation_id }: Route, suffix: string): string =>
  `${operation_id.charAt(0).toUpperCase()}${operation_id.slice(1)}${suffix}`;
