package peers;

import com.espertech.esper.common.client.EventSender;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Esper over one stream: Peer EVENTS EPL CLASSES TYPE...
 *
 * Each line of standard input asks for one run over all events, and gets one line of JSON: "check" with the
 * checksum of the answers, "count" with seconds, "latency" with the time from an event to its last answer. The
 * statements stay between runs, so that what the JIT has compiled stays; each run is so much later than the one
 * before that nothing of that one is in a window.
 */
public final class Peer {
    private static final long BETWEEN_RUNS = 1L << 40;
    /** Nanoseconds; the clock counts in steps of ten million. */
    private static final long ENOUGH = 500_000_000L;
    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Stream stream;
    private final Answers answers = new Answers();
    private final Statements statements;
    private final EventSender[] senders;
    private long shift;

    private Peer(Stream stream, String epl, List<String> types) throws Exception {
        this.stream = stream;
        statements = new Statements(types, epl, stream.events[0].getMoment(), answers);
        senders = stream.predicates.stream().map(statements::sender).toArray(EventSender[]::new);
    }

    public static void main(String[] arguments) throws Exception {
        Stream stream = new Stream(Path.of(arguments[0]));
        Classes.read(Path.of(arguments[2]));
        List<String> types = List.of(arguments).subList(3, arguments.length);
        Peer peer = new Peer(stream, Files.readString(Path.of(arguments[1])), types);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        for (String order; (order = orders.readLine()) != null; ) {
            System.out.println("latency".equals(order) ? peer.latency() : peer.run("check".equals(order)));
            System.out.flush();
        }
    }

    /** One run, or as many as the coarse clock of the processor needs; seconds are those of one. */
    private String run(boolean checking) {
        int runs = 0;
        long taken = 0;
        System.gc();
        do {
            begin(checking);
            long began = system.getProcessCpuTime();
            for (int number = 0; number < stream.events.length; number++) {
                send(number);
            }
            taken += system.getProcessCpuTime() - began;
            runs++;
        } while (!checking && taken < ENOUGH);
        return String.format(
                Locale.ROOT,
                "{\"answers\": %d, \"checksum\": \"%s\", \"seconds\": %.6f, \"runs\": %d, \"seen\": %d}",
                answers.count(), Long.toUnsignedString(answers.sum()), taken / 1e9 / runs, runs, answers.seen());
    }

    /** The same, with the percentiles of the last run. */
    private String latency() {
        long[] spans = new long[stream.events.length];
        int matched;
        int runs = 0;
        long taken = 0;
        System.gc();
        do {
            begin(false);
            matched = 0;
            long began = system.getProcessCpuTime();
            for (int number = 0; number < stream.events.length; number++) {
                long before = answers.count();
                long clock = System.nanoTime();
                send(number);
                if (answers.count() > before) {
                    spans[matched++] = answers.lastAt() - clock;
                }
            }
            taken += system.getProcessCpuTime() - began;
            runs++;
        } while (taken < ENOUGH);
        Arrays.sort(spans, 0, matched);
        return String.format(
                Locale.ROOT,
                "{\"answers\": %d, \"seconds\": %.6f, \"p50_us\": %.2f, \"p99_us\": %.2f}",
                answers.count(), taken / 1e9 / runs, spans[matched / 2] / 1e3, spans[(int) (matched * 0.99)] / 1e3);
    }

    /** A new object for each event, as a source makes them; the old one may still be in a window. */
    private void send(int number) {
        Event event = stream.events[number].later(shift);
        statements.advance(event.getMoment());
        senders[stream.kinds[number]].sendEvent(event);
    }

    private void begin(boolean checking) {
        shift += stream.length() + BETWEEN_RUNS;
        statements.jump(stream.events[0].getMoment() + shift);
        answers.begin(shift, checking);
    }
}
