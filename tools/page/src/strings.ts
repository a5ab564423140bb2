// Every text of the page, so that it can be told in another language by another file like this.

export const locale = 'en-GB';

/** One job, 2 jobs. */
export const many = (n: number, one: string, more = `${one}s`): string => `${new Intl.NumberFormat(locale).format(n)} ${n === 1 ? one : more}`;

export const t = {
  product: 'Jobstrand',
  skip: 'Skip to the content',
  loading: 'Loading…',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  none: '–',
  next: 'Next page',
  first: 'First page',
  reason: 'Reason',
  reasonHelp: 'Goes into the audit with your name.',
  noRights: 'You may look, but not change: your token has the role read.',
  tookMs: (ms: string) => `answered in ${ms}`,
  held: 'New values wait until the pointer leaves.',
  nav: {
    home: 'Home',
    dead: 'Dead letters',
    jobs: 'Jobs',
    series: 'Schedules',
    types: 'Types and limits',
    nodes: 'Nodes and workers',
    batches: 'Batches',
    incidents: 'Incidents',
    log: 'Job log',
    audit: 'Audit',
    doctor: 'Doctor',
    settings: 'Settings',
  },
  live: { live: 'Live', paused: 'Paused', hidden: 'Paused', cut: 'Cut off: trying again' },
  engine: 'Engine',
  pause: 'Pause the live view',
  goOn: 'Go on',
  theme: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
  signIn: {
    title: 'Sign in',
    token: 'Token',
    help: 'A token of this service: `jobstrand token make NAME --role read --file FILE` prints one.',
    submit: 'Sign in',
    out: 'Sign out',
    ended: 'The token has ended or was revoked.',
  },
  places: {
    executable: 'Executable',
    timer: 'Timers',
    suspended: 'Suspended',
    dead: 'Dead letters',
    external: 'For workers',
    done: 'Done',
  },
  notFound: 'There is no such view.',
};
