package peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The events of a file: lines of time, subject, predicate and object, with tabs between them. */
final class Stream {
    final List<String> predicates = new ArrayList<>();
    /** The predicate of each event, as its place in `predicates`. */
    final int[] kinds;
    final Event[] events;

    Stream(Path path) throws IOException {
        List<Event> read = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        Map<String, Integer> known = new HashMap<>();
        Map<String, String> texts = new HashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(path)) {
            for (String line; (line = lines.readLine()) != null; ) {
                String[] parts = line.split("\t");
                numbers.add(known.computeIfAbsent(parts[2], this::newPredicate));
                boolean number = Character.isDigit(parts[3].charAt(0));
                read.add(new Event(
                        Long.parseLong(parts[0]),
                        texts.computeIfAbsent(parts[1], text -> text),
                        number ? null : texts.computeIfAbsent(parts[3], text -> text),
                        number ? Long.parseLong(parts[3]) : 0));
            }
        }
        events = read.toArray(Event[]::new);
        kinds = numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    private int newPredicate(String predicate) {
        predicates.add(predicate);
        return predicates.size() - 1;
    }

    /** Microseconds from the first event to the last. */
    long length() {
        return events[events.length - 1].getMoment() - events[0].getMoment();
    }
}
