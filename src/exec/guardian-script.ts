/** In the environment of every program that we start, so that it can be told from all others. */
export const RUN_MARK = 'HOLDPOINT_RUN';

/**
 * What the guardian does, in words that every shell knows. Lines tell it that a program is about to be
 * started (`?` and its mark), that its group has begun (`+`), that there is none (`!`), and that a group
 * has ended (`-`). The end of its input means that we are gone, in whatever way: then it kills what is left.
 *
 * A program that was about to be started has a number nobody could tell any more; where the kernel shows
 * environments, its mark gives it away. It carries the mark only some moments later, hence the rounds.
 */
export const GUARDIAN_SCRIPT = `trap '' HUP INT QUIT TERM
groups=
pending=
while read -r sign word; do
  case $sign in
    '?') pending=$word ;;
    '!') pending= ;;
    +) groups="$groups $word"; pending= ;;
    -)
      left=
      for one in $groups; do [ "$one" = "$word" ] || left="$left $one"; done
      groups=$left ;;
  esac
done
for one in $groups; do kill -9 "-$one"; done
[ -n "$pending" ] && [ -r /proc/self/environ ] || exit
for round in 1 2 3 4 5; do
  for file in $(grep -Fls "${RUN_MARK}=$pending" /proc/[0-9]*/environ); do
    one=\${file#/proc/}
    one=\${one%/environ}
    kill -9 "-$one"
    kill -9 "$one"
  done
  sleep 0.1
done`;
