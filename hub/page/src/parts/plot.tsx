import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { isDark } from '../theme';

export type Plotted = {
  readonly data: uPlot.AlignedData;
  readonly options: Omit<uPlot.Options, 'width' | 'height'>;
};

interface Props {
  /** Called again when the data or the colours change. */
  readonly plotted: (colour: (name: string) => string) => Plotted;
  /** Must change when the plotted data does. */
  readonly of: unknown;
  readonly height: number;
  /** What the plot shows, for screen readers. */
  readonly label: string;
}

/** Resolves the style sheet's colours, because a canvas cannot. */
function colourIn(box: HTMLElement): (name: string) => string {
  return (name) => {
    box.style.color = `var(--${name})`;
    const found = getComputedStyle(box).color;
    box.style.color = '';
    return found;
  };
}

export function Plot({ plotted, of, height, label }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const dark = isDark();
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    let plot: uPlot | undefined;
    let isOver = false;
    const resized = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height }));
    void import('uplot').then(({ default: Make }) => {
      if (isOver) return;
      const { data, options } = plotted(colourIn(place));
      plot = new Make({ ...options, width: place.clientWidth, height }, data, place);
      resized.observe(place);
    });
    return () => {
      isOver = true;
      resized.disconnect();
      plot?.destroy();
    };
  }, [of, dark, height]);
  return <div class="plot" ref={box} role="img" aria-label={label} />;
}

const FONT = '12px system-ui, sans-serif';

export function axis(colour: (name: string) => string, more: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: colour('text-2'),
    font: FONT,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1, size: 4 },
    size: 28,
    ...more,
  };
}
