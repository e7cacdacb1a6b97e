package peers;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternSelectFunction;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.types.Row;

/** Jobs as patterns of Flink CEP, by key. */
final class Patterns {
    private Patterns() {}

    static DataStream<Row> named(String name, long window, DataStream<Event> events, TypeInformation<Row> type) {
        Pattern<Event, ?> pattern =
                switch (name) {
                    case "two-steps" -> step("a", "p").followedByAny("b").where(is("q"));
                    // of several that wait, the first would be used and the others dropped: here one waits at most
                    case "two-steps-consuming" ->
                        Pattern.<Event>begin("a", AfterMatchSkipStrategy.skipPastLastEvent())
                                .where(is("p"))
                                .followedBy("b")
                                .where(is("q"));
                    case "absence" -> step("a", "p").notFollowedBy("c").where(is("r")).followedByAny("b").where(is("q"));
                    default -> throw new IllegalArgumentException(name);
                };
        return CEP.pattern(events.keyBy(event -> event.subject), pattern.within(Time.milliseconds(window / 1_000)))
                .select(new Pair(), type);
    }

    private static Pattern<Event, Event> step(String name, String predicate) {
        return Pattern.<Event>begin(name).where(is(predicate));
    }

    private static SimpleCondition<Event> is(String predicate) {
        return SimpleCondition.of(event -> event.predicate.equals(predicate));
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
