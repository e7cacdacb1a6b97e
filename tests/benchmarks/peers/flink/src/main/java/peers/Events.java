package peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/** The events of a file (lines of time, subject, predicate and object, with tabs between them), from memory. */
final class Events implements SourceFunction<Event> {
    private static final long serialVersionUID = 1;
    /** Events between watermarks: few of them cost least. */
    private static final int BETWEEN_WATERMARKS = 1_000;
    /** Milliseconds: windows of Flink SQL take an event at 0 for a late one. */
    private static final long ORIGIN = 1_000;
    private static Event[] events;
    private static volatile long began;

    static void read(Path path) throws IOException {
        List<Event> read = new ArrayList<>();
        Map<String, String> texts = new HashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(path)) {
            for (String line; (line = lines.readLine()) != null; ) {
                String[] parts = line.split("\t");
                boolean number = Character.isDigit(parts[3].charAt(0));
                read.add(new Event(
                        Long.parseLong(parts[0]),
                        texts.computeIfAbsent(parts[1], text -> text),
                        texts.computeIfAbsent(
                                parts[2].substring(Math.max(parts[2].lastIndexOf(':'), parts[2].lastIndexOf('#')) + 1),
                                text -> text),
                        number ? "" : texts.computeIfAbsent(parts[3], text -> text),
                        number ? Long.parseLong(parts[3]) : 0));
            }
        }
        events = read.toArray(Event[]::new);
    }

    /** The processor's time when the last run gave its first event. */
    static long began() {
        return began;
    }

    @Override
    public void run(SourceContext<Event> context) {
        began = Peer.processorTime();
        for (int number = 0; number < events.length; number++) {
            long moment = events[number].moment / 1_000 + ORIGIN;
            context.collectWithTimestamp(events[number], moment);
            if (number % BETWEEN_WATERMARKS == BETWEEN_WATERMARKS - 1) {
                context.emitWatermark(new Watermark(moment));
            }
        }
    }

    @Override
    public void cancel() {}
}
