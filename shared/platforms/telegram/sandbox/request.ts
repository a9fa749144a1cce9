import type { HonoRequest } from 'hono';
import type { JsonObject } from '../../../model/json.ts';

/** An error response of the Bot API. */
export class BotApiError extends Error {
  readonly code: number;
  readonly parameters: JsonObject | undefined;
  constructor(code: number, description: string, parameters?: JsonObject) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (text: string, parameters?: JsonObject) =>
  new BotApiError(400, `Bad Request: ${text}`, parameters);
export const forbidden = (text: string) => new BotApiError(403, `Forbidden: ${text}`);

export interface UploadedFile {
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** Parameters of a call, from the query and a form, JSON or multipart body. */
export interface BotRequest {
  values: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, UploadedFile>;
}

/** The largest file is 50 MB; a body may be slightly larger. */
const MAX_BODY = 52_428_800 + 65_536;

export async function readRequest(request: HonoRequest<string>): Promise<BotRequest> {
  const values = new Map(Object.entries(request.query()));
  const files = new Map<string, UploadedFile>();
  if (request.method === 'POST') await readBody(request, values, files);
  return { values, files };
}

async function readBody(
  request: HonoRequest<string>,
  values: Map<string, string>,
  files: Map<string, UploadedFile>,
): Promise<void> {
  if (request.header('content-type')?.startsWith('application/json')) {
    for (const [name, value] of Object.entries(jsonObject(await request.text())))
      values.set(name, asText(value));
    return;
  }
  const form = await request.parseBody().catch(() => {
    throw badRequest('failed to parse multipart/form-data');
  });
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') values.set(name, value);
    else if (value instanceof File) files.set(name, await fileOf(value));
  }
}

async function fileOf(file: File): Promise<UploadedFile> {
  if (file.size > MAX_BODY) throw new BotApiError(413, 'Request Entity Too Large');
  return { name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
}

function jsonObject(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Handled below, like JSON that is not an object.
  }
  throw badRequest("can't parse JSON object");
}

function asText(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
