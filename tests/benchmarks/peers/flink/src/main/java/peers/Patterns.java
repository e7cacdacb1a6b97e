package peers;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternSelectFunction;
import org.apache.flink.cep.PatternStream;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.types.Row;

/** Jobs as patterns of Flink CEP, by key. */
final class Patterns {
    private Patterns() {}

    private static final TypeInformation<Row> PAIR =
            Types.ROW(Types.LONG, Types.LONG, Types.STRING, Types.LONG, Types.LONG);
    private static final TypeInformation<Row> RUN =
            Types.ROW(Types.LONG, Types.LONG, Types.STRING, Types.LONG, Types.LONG, Types.LONG);
    private static final TypeInformation<Row> ALONE = Types.ROW(Types.LONG, Types.LONG, Types.STRING, Types.LONG);

    /** The answers of a pattern; the window is in microseconds, and events are whole milliseconds apart. */
    static DataStream<Row> named(String name, long window, DataStream<Event> events) {
        Pattern<Event, ?> pattern =
                switch (name) {
                    case "two-steps" -> step("a", "p").followedByAny("b").where(is("q"));
                    // of several that wait, the first would be used and the others dropped: here one waits at most
                    case "two-steps-consuming" ->
                        Pattern.<Event>begin("a", AfterMatchSkipStrategy.skipPastLastEvent())
                                .where(is("p"))
                                .followedBy("b")
                                .where(is("q"));
                    case "next" -> step("a", "p").followedBy("b").where(is("q"));
                    case "strict" -> step("a", "p").next("b").where(is("q"));
                    case "all-between" ->
                        step("a", "p")
                                .followedBy("r")
                                .where(is("r"))
                                .oneOrMore()
                                .until(is("q"))
                                .greedy()
                                .followedBy("b")
                                .where(is("q"));
                    case "runs-next" -> run().oneOrMore();
                    case "runs-strict" -> run().oneOrMore().consecutive();
                    case "runs-any" -> run().oneOrMore().allowCombinations();
                    case "deadline" -> step("a", "p").notFollowedBy("b").where(is("q"));
                    case "absence" -> step("a", "p").notFollowedBy("c").where(is("r")).followedByAny("b").where(is("q"));
                    default -> throw new IllegalArgumentException(name);
                };
        PatternStream<Event> found = CEP.pattern(
                events.keyBy(event -> event.subject), pattern.within(Time.milliseconds((window + 999) / 1_000)));
        return switch (name) {
            case "all-between", "runs-next", "runs-strict", "runs-any" -> found.select(new Run(), RUN);
            case "deadline" -> found.select(new Alone(window), ALONE);
            default -> found.select(new Pair(), PAIR);
        };
    }

    /** A first step and what is repeated; each beginning of a run is a match. */
    private static Pattern<Event, Event> run() {
        return step("a", "p").followedBy("r").where(is("r"));
    }

    private static Pattern<Event, Event> step(String name, String predicate) {
        return Pattern.<Event>begin(name).where(is(predicate));
    }

    private static SimpleCondition<Event> is(String predicate) {
        return SimpleCondition.of(event -> event.predicate.equals(predicate));
    }

    private static final class Run implements PatternSelectFunction<Event, Row> {
        private static final long serialVersionUID = 1;

        @Override
        public Row select(Map<String, List<Event>> found) {
            Event first = found.get("a").get(0);
            List<Event> run = found.get("r");
            Event last = found.containsKey("b") ? found.get("b").get(0) : run.get(run.size() - 1);
            long sum = 0;
            for (Event each : run) {
                sum += each.number;
            }
            return Row.of(first.moment, last.moment, first.subject, first.number, (long) run.size(), sum);
        }
    }

    private static final class Alone implements PatternSelectFunction<Event, Row> {
        private static final long serialVersionUID = 1;
        private final long length;

        Alone(long length) {
            this.length = length;
        }

        @Override
        public Row select(Map<String, List<Event>> found) {
            Event first = found.get("a").get(0);
            return Row.of(first.moment, first.moment + length, first.subject, first.number);
        }
    }

    private static final class Pair implements PatternSelectFunction<Event, Row> {
        private static final long serialVersionUID = 1;

        @Override
        public Row select(Map<String, List<Event>> found) {
            Event first = found.get("a").get(0);
            Event second = found.get("b").get(0);
            return Row.of(first.moment, second.moment, second.subject, first.number, second.number);
        }
    }
}
