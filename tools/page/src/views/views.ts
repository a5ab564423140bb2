// All views: the first word of a place says which one.
import type { ComponentType } from 'preact';
import type { Place } from '../core/router.js';
import { t } from '../strings.js';
import { AuditView } from './audit.js';
import { BatchesView } from './batches.js';
import { DeadView } from './dead.js';
import { DoctorView } from './doctor.js';
import { HomeView } from './home.js';
import { IncidentsView } from './incidents.js';
import { JobView } from './job.js';
import { JobsView } from './jobs.js';
import { LogView } from './log.js';
import { NodesView } from './nodes.js';
import { SeriesView } from './series.js';
import { SettingsView } from './settings.js';
import { TypesView } from './types.js';

export interface ViewEntry {
  /** The first word of its place; empty: home. */
  word: string;
  title: string;
  /** Typed behind g. */
  key: string;
  view: ComponentType<{ place: Place }>;
  /** Reached from other views only. */
  isHidden?: boolean;
}

export const views: readonly ViewEntry[] = [
  { word: '', title: t.nav.home, key: 'h', view: HomeView },
  { word: 'dead', title: t.nav.dead, key: 'd', view: DeadView },
  { word: 'jobs', title: t.nav.jobs, key: 'j', view: JobsView },
  { word: 'job', title: t.nav.jobs, key: '', view: JobView, isHidden: true },
  { word: 'series', title: t.nav.series, key: 's', view: SeriesView },
  { word: 'types', title: t.nav.types, key: 't', view: TypesView },
  { word: 'nodes', title: t.nav.nodes, key: 'n', view: NodesView },
  { word: 'batches', title: t.nav.batches, key: 'b', view: BatchesView },
  { word: 'incidents', title: t.nav.incidents, key: 'i', view: IncidentsView },
  { word: 'log', title: t.nav.log, key: 'l', view: LogView },
  { word: 'audit', title: t.nav.audit, key: 'a', view: AuditView },
  { word: 'doctor', title: t.nav.doctor, key: 'o', view: DoctorView },
  { word: 'settings', title: t.nav.settings, key: 'e', view: SettingsView },
];
