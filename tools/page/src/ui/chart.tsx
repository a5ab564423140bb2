// Lines over time. Whoever cannot see them reads the same numbers in the table below.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { t } from '../strings.js';
import 'uplot/dist/uPlot.min.css';

export interface Line {
  label: string;
  /** The name of a colour in page.css: `--good`. */
  colour: string;
  values: readonly (number | null)[];
}

export interface Mark {
  /** Seconds since 1970. */
  time: number;
  label: string;
}

interface Props {
  title: string;
  /** Seconds since 1970, ascending. */
  times: readonly number[];
  lines: readonly Line[];
  marks?: readonly Mark[];
  format?: (value: number) => string;
}

const kHeight = 180;

export function Chart(props: Props): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const marks = useRef(props.marks ?? []);
  marks.current = props.marks ?? [];
  const format = props.format ?? ((value: number) => value.toLocaleString());
  const shape = props.lines.map((line) => line.label + line.colour).join(' ');

  useEffect(() => {
    const element = frame.current;
    if (!element) {
      return undefined;
    }
    const style = getComputedStyle(element);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
    const chart = new uPlot(
      {
        width: element.clientWidth || 300,
        height: kHeight,
        padding: [10, 8, 0, 0],
        cursor: { drag: { x: false, y: false } },
        legend: { live: true },
        axes: [axis, { ...axis, size: 56, values: (_: uPlot, values: number[]) => values.map(format) }],
        series: [
          {},
          ...props.lines.map((line) => ({
            label: line.label,
            stroke: colour(line.colour),
            width: 2,
            points: { show: true, size: 4, filter: alone },
            value: (_: uPlot, value: number | null) => (value === null ? t.none : format(value)),
          })),
        ],
        hooks: { draw: [(drawn: uPlot) => drawMarks(drawn, marks.current, colour('--accent'))] },
      },
      [[], ...props.lines.map(() => [])] as unknown as uPlot.AlignedData,
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: kHeight }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [shape, document.documentElement.dataset['theme']]);

  useEffect(() => {
    plot.current?.setData([[...props.times], ...props.lines.map((line) => [...line.values])] as uPlot.AlignedData);
  });

  return (
    <figure class="chart">
      <figcaption>{props.title}</figcaption>
      <div ref={frame} aria-hidden="true" />
      <details>
        <summary>{t.numbers}</summary>
        <div class="table-frame" tabIndex={0} role="region" aria-label={props.title}>
          <table>
            <caption class="unseen">{props.title}</caption>
            <thead>
              <tr>
                <th scope="col">{t.time}</th>
                {props.lines.map((line) => (
                  <th key={line.label} scope="col" class="number">
                    {line.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {props.times.slice(-30).map((time, i) => (
                <tr key={time}>
                  <td>{new Date(time * 1000).toLocaleTimeString()}</td>
                  {props.lines.map((line) => {
                    const value = line.values.slice(-30)[i] ?? null;
                    return (
                      <td key={line.label} class="number">
                        {value === null ? t.none : format(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The values without a neighbour: no line leads to them. */
function alone(chart: uPlot, series: number): number[] {
  const values = chart.data[series] ?? [];
  const isThere = (at: number): boolean => values[at] !== null && values[at] !== undefined;
  return [...values.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1));
}

function drawMarks(chart: uPlot, marks: readonly Mark[], colour: string): void {
  const { ctx } = chart;
  const { min = 0, max = 0 } = chart.scales['x'] ?? {};
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.font = `${12 * devicePixelRatio}px sans-serif`;
  ctx.textAlign = 'left';
  const right = chart.bbox.left + chart.bbox.width;
  let written = 0;
  for (const mark of marks) {
    if (mark.time >= min && mark.time <= max) {
      const x = Math.round(chart.valToPos(mark.time, 'x', true));
      ctx.beginPath();
      ctx.moveTo(x, chart.bbox.top);
      ctx.lineTo(x, chart.bbox.top + chart.bbox.height);
      ctx.stroke();
      // Beside its line, to the left of it at the right end, and not over another one.
      const text = mark.label.slice(0, 24);
      const { width } = ctx.measureText(text);
      const at = x + 4 + width > right ? x - 4 - width : x + 4;
      if (at >= Math.max(written, chart.bbox.left)) {
        ctx.fillText(text, at, chart.bbox.top + 12 * devicePixelRatio);
        written = at + width + 6;
      }
    }
  }
  ctx.restore();
}

/** A small line without axes; `label` says it in words. */
export function Sparkline(props: { values: readonly number[]; label: string }): JSX.Element {
  const width = 96;
  const height = 22;
  const most = Math.max(1, ...props.values);
  const step = props.values.length > 1 ? width / (props.values.length - 1) : width;
  const points = props.values.map((value, i) => `${(i * step).toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={props.label}>
      <polyline points={points.join(' ')} fill="none" />
    </svg>
  );
}
