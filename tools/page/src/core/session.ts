// Who we are, and what we may do. The token itself is never kept by the page: the service keeps it in a cookie that no
// script can read.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { get, send } from './api.js';

export type Role = 'read' | 'worker' | 'admin';

export interface Session {
  caller: string;
  role: Role;
  engine: string;
  version: string;
  /** By a cookie; else by this machine, or by whoever stands in front. */
  isByCookie: boolean;
  /** It sees only some tenants or topics. */
  isNarrow: boolean;
  /** Of the same service, on ports of their own. */
  engines: { name: string; port: number }[];
}

export const readSession = (): Promise<Session> => get<Session>('session');
export const signIn = (token: string): Promise<Session> => send<Session>('POST', 'session', { token });
export const signOut = (): Promise<void> => send<void>('DELETE', 'session');

export const SessionContext = createContext<Session | undefined>(undefined);

/** Whether deeds of operators are shown. */
export function useMayChange(): boolean {
  return useContext(SessionContext)?.role === 'admin';
}
