import type { ComponentChildren } from 'preact';

interface Props {
  /** What the plot shows, for screen readers. */
  readonly label: string;
  /** The value at the top. */
  readonly most: number;
  readonly words: (value: number) => string;
  /** Words below, each with its place from 0 at the left to 1 at the right. */
  readonly ticks: readonly (readonly [at: number, words: string])[];
  readonly children: ComponentChildren;
}

export const percent = (share: number) => `${100 * share}%`;

/** Axes around what is plotted: elements that are placed in percent of width and height. */
export function Plot({ label, most, words, ticks, children }: Props) {
  return (
    <div class="plot" role="img" aria-label={label}>
      <div class="plot-area">
        {[0, 0.5, 1].map((share) => (
          <span key={share} class="plot-line" style={{ bottom: percent(share) }}>
            <span>{words(most * share)}</span>
          </span>
        ))}
        {ticks.map(([at, text]) => (
          <span key={at} class="plot-tick" style={{ left: percent(at) }}>
            {text}
          </span>
        ))}
        {children}
      </div>
    </div>
  );
}
