// What the service tells about series and what belongs to them.
export interface Series {
  series: string;
  group: string;
  description: string | null;
  handlerType: string | null;
  repeat: string | null;
  state: string;
  previousFire: string | null;
  nextFire: string | null;
  fireCount: number;
  zone: string;
  dst: string;
  calendar: string | null;
  start: string | null;
  end: string | null;
  misfire: string | null;
  misfireThreshold: string | null;
  overlap: boolean;
  keepData: boolean;
  recovery: boolean;
  stopOnDeadLetter: boolean;
  retries: number;
  totalTurns: number | null;
  turnsTaken: number;
  turnId: string | null;
  createTime: string | null;
  unreadableSeries: string | null;
}

export interface Group {
  id: string;
  series: number;
  paused: boolean;
  pausedSince: string | null;
}

export interface Calendar {
  calendar: string;
  text: string;
}
