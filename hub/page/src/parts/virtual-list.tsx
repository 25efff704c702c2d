import { Component, type ComponentChildren, type RefObject } from 'preact';
import { keyOf } from '../decisions';
import type { Decision } from '../types';

interface Props {
  /** The element that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly items: readonly Decision[];
  readonly row: (item: Decision) => ComponentChildren;
  readonly rowHeight: number;
  /** The key of the row that j, k and Enter act on. */
  readonly active: string | null;
  readonly onActive: (item: Decision) => void;
  readonly onOpen: (item: Decision) => void;
  readonly onNearEnd: () => void;
  readonly onTop: (isAtTop: boolean) => void;
}

interface State {
  readonly from: number;
  readonly to: number;
}

/** Rows rendered beyond the visible ones, on either side. */
const SPARE = 4;
/** The window moves in steps, so that most scroll events render nothing. */
const STEP = 2;

type CellsProps = Pick<Props, 'row'> & { readonly item: Decision };

/** The content of a row, rendered again only for another item. */
class Cells extends Component<CellsProps> {
  override shouldComponentUpdate({ item }: CellsProps): boolean {
    return item !== this.props.item;
  }

  override render({ item, row }: CellsProps) {
    return row(item);
  }
}

/** The list of decisions, in rows of equal height; only the visible ones are in the document. */
export class VirtualList extends Component<Props, State> {
  override state: State = { from: 0, to: 40 };
  private readonly resized = new ResizeObserver(() => this.look());
  private first: string | undefined;

  override componentDidMount(): void {
    if (this.props.box.current) this.resized.observe(this.props.box.current);
    this.look();
  }

  override componentWillUnmount(): void {
    this.resized.disconnect();
  }

  override componentDidUpdate(before: Props): void {
    const { items, active, rowHeight } = this.props;
    if (before.items !== items) this.stay();
    this.first = items[0] && keyOf(items[0]);
    if (before.active !== active) this.show(active);
    if (before.items !== items || before.rowHeight !== rowHeight) this.look();
  }

  /** Rows inserted above must not move what is being read. */
  private stay(): void {
    const box = this.props.box.current;
    const { items, rowHeight } = this.props;
    if (!box || this.first === undefined || box.scrollTop < rowHeight) return;
    const came = items.findIndex((item) => keyOf(item) === this.first);
    if (came > 0) box.scrollTop += came * rowHeight;
  }

  private show(key: string | null): void {
    const box = this.props.box.current;
    const { items, rowHeight } = this.props;
    const at = key === null ? -1 : items.findIndex((item) => keyOf(item) === key);
    if (!box || at === -1) return;
    if (at * rowHeight < box.scrollTop) box.scrollTop = at * rowHeight;
    const end = (at + 1) * rowHeight - box.clientHeight;
    if (end > box.scrollTop) box.scrollTop = end;
  }

  private readonly look = (): void => {
    const box = this.props.box.current;
    if (!box) return;
    const { items, rowHeight, onNearEnd, onTop } = this.props;
    const top = Math.floor(box.scrollTop / rowHeight / STEP) * STEP;
    const from = Math.max(0, top - SPARE);
    const to = Math.min(items.length, top + Math.ceil(box.clientHeight / rowHeight) + STEP + SPARE);
    if (from !== this.state.from || to !== this.state.to) this.setState({ from, to });
    onTop(box.scrollTop < rowHeight);
    if (to > items.length - 60) onNearEnd();
  };

  private readonly arrow = (event: KeyboardEvent): void => {
    const { items, active, onActive, rowHeight } = this.props;
    const page = Math.max(1, Math.floor((this.props.box.current?.clientHeight ?? 0) / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -items.length,
      End: items.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = items.findIndex((item) => keyOf(item) === active);
    const to = items[Math.max(0, Math.min(items.length - 1, at === -1 ? 0 : at + step))];
    if (to !== undefined) onActive(to);
  };

  override render({ box, items, row, rowHeight, active, onActive, onOpen }: Props, { from, to }: State) {
    const inSight = items.slice(from, to);
    const isActiveInSight = inSight.some((item) => keyOf(item) === active);
    return (
      <div
        class="rows"
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label="Decisions, newest first"
        aria-activedescendant={isActiveInSight ? 'active-row' : undefined}
        onScroll={this.look}
        onKeyDown={this.arrow}
      >
        <div class="rows-all" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          <div
            class="rows-seen"
            role="presentation"
            style={{ transform: `translateY(${from * rowHeight}px)` }}
          >
            {inSight.map((item, index) => {
              const key = keyOf(item);
              return (
                // The list handles the keys for its rows.
                // biome-ignore lint/a11y/useKeyWithClickEvents: see above
                <div
                  // A row that leaves on one side is reused on the other.
                  key={(from + index) % (to - from)}
                  id={key === active ? 'active-row' : undefined}
                  class={key === active ? 'row active' : 'row'}
                  role="option"
                  tabIndex={-1}
                  aria-selected={key === active}
                  aria-setsize={items.length}
                  aria-posinset={from + index + 1}
                  onClick={() => {
                    onActive(item);
                    onOpen(item);
                  }}
                >
                  <Cells item={item} row={row} />
                </div>
              );
            })}
          </div>
        </div>
      </div>
    );
  }
}
