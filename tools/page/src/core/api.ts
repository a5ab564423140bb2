// The service's typed paths. All are relative to the page, so that it works behind any path prefix.
import { parseJson } from './json.js';

export type QueryValue = string | number | boolean | readonly string[] | undefined | null;
export type Query = Record<string, QueryValue>;

/** What the service answered instead (RFC 9457), or that it did not answer: then `status` is 0. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors: readonly string[] = [],
  ) {
    super(message);
  }
}

/** A page of a list: `after` leads to the next one. */
export interface Page<T> {
  items: T[];
  after: string | null;
  /** The service has not looked further, though there may be more for this page. */
  partial?: boolean;
  /** Asked `soon`, the service has looked at so many rows only, and there are more. */
  lookedAt?: number | null;
}

/** `api/v1/jobs?type=mail&type=sms`; what is empty is left out. */
export function pathOf(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') {
        words.append(name, String(each));
      }
    }
  }
  const text = words.toString();
  return `api/v1/${path}${text ? `?${text}` : ''}`;
}

type Listener = () => void;
let onSignedOut: Listener = () => undefined;

/** Who is told when a token is missing, revoked or has expired. */
export function whenSignedOut(listener: Listener): void {
  onSignedOut = listener;
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError(0, 'the service does not answer');
  }
  if (response.ok) {
    return response;
  }
  if (response.status === 401) {
    onSignedOut();
  }
  let message = `${response.status} ${response.statusText}`;
  let errors: string[] = [];
  try {
    const problem = (await response.json()) as { title?: string; detail?: string; errors?: (string | { detail?: string; message?: string })[] };
    message = problem.detail ?? problem.title ?? message;
    errors = (problem.errors ?? []).map((each) => (typeof each === 'string' ? each : (each.detail ?? each.message ?? JSON.stringify(each))));
  } catch {
    // Something between us and the service has answered.
  }
  throw new ApiError(response.status, message, errors);
}

async function bodyOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  return (text === '' ? undefined : parseJson(text)) as T;
}

export interface Asking {
  signal?: AbortSignal;
  /** It may be what another viewer was given within the last second: the service looks once for all of them. */
  mayBeShared?: boolean;
}

function initOf({ signal, mayBeShared }: Asking): RequestInit {
  return { ...(signal ? { signal } : {}), ...(mayBeShared ? { headers: { 'Cache-Control': 'max-age=1' } } : {}) };
}

/** `get<Stats>('stats')`. Throws ApiError, and AbortError when the signal says so. */
export async function get<T>(path: string, query: Query = {}, asking: Asking = {}): Promise<T> {
  return bodyOf<T>(await ask(pathOf(path, query), initOf(asking)));
}

/** A list, whether it comes as {items, after} or as an array with a Link to the next page. */
export async function list<T>(path: string, query: Query = {}, asking: Asking = {}): Promise<Page<T>> {
  const response = await ask(pathOf(path, query), initOf(asking));
  const found = await bodyOf<T[] | Page<T>>(response);
  if (!Array.isArray(found)) {
    return found;
  }
  const next = /<([^>]*)>;\s*rel="?next"?/.exec(response.headers.get('Link') ?? '')?.[1];
  const lookedAt = response.headers.get('Jobstrand-Looked-At');
  return { items: found, after: next ? new URL(next, location.href).searchParams.get('after') : null, lookedAt: lookedAt === null ? null : Number(lookedAt) };
}

/** What changes something. The reason goes into the audit. */
export async function send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, reason = '', query: Query = {}): Promise<T> {
  const headers: Record<string, string> = {};
  if (reason) {
    // Headers are bytes: UTF-8, one byte a character.
    headers['Jobstrand-Reason'] = String.fromCharCode(...new TextEncoder().encode(reason));
  }
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  return bodyOf<T>(await ask(pathOf(path, query), init));
}

/** One item of id lists must be one segment of a path. */
export const segment = encodeURIComponent;
