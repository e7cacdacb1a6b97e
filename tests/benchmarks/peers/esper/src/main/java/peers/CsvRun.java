package peers;

import com.espertech.esper.common.client.EventSender;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * From a file of events to a file of answers, once: CsvRun EVENTS.csv EPL ANSWERS.csv TYPE...
 *
 * Lines of the first have a time in microseconds, a subject, a predicate and an integer, in N-Triples syntax and in
 * quotes, as Arrow writes them. Those of the second have key, values, start and end.
 */
public final class CsvRun {
    private final BufferedWriter out;
    private long second = Long.MIN_VALUE;
    private String secondText;

    private CsvRun(BufferedWriter out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> types = List.of(arguments).subList(3, arguments.length);
        try (BufferedReader lines = Files.newBufferedReader(Path.of(arguments[0]));
                BufferedWriter out = Files.newBufferedWriter(Path.of(arguments[2]))) {
            Statements statements =
                    new Statements(types, Files.readString(Path.of(arguments[1])), 0, new CsvRun(out));
            out.write("x,a,b,start,end\r\n");
            read(lines, statements);
        }
    }

    private static void read(BufferedReader lines, Statements statements) throws IOException {
        Map<String, EventSender> senders = new HashMap<>();
        lines.readLine();
        for (String line; (line = lines.readLine()) != null; ) {
            int comma = line.indexOf(',');
            int subject = line.indexOf('>', comma);
            int predicate = line.indexOf('>', subject + 1);
            int number = line.indexOf('"', predicate + 6);
            long moment = Long.parseLong(line, 0, comma, 10);
            String name = line.substring(line.indexOf('<', subject) + 1, predicate);
            Event event = new Event(
                    moment,
                    line.substring(comma + 3, subject),
                    null,
                    Long.parseLong(line, predicate + 6, number, 10));
            statements.advance(moment);
            senders.computeIfAbsent(name, statements::sender).sendEvent(event);
        }
    }

    /** Called by Esper for each answer. */
    public void update(Object[] row) {
        try {
            for (int column = 2; column < row.length; column++) {
                out.write(row[column].toString());
                out.write(',');
            }
            writeMoment((Long) row[0]);
            out.write(',');
            writeMoment((Long) row[1]);
            out.write("\r\n");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void writeMoment(long microseconds) throws IOException {
        long whole = Math.floorDiv(microseconds, 1_000_000L);
        if (whole != second) {
            second = whole;
            String text = Instant.ofEpochSecond(whole).toString();
            secondText = text.substring(0, text.length() - 1);
        }
        out.write(secondText);
        int digits = (int) Math.floorMod(microseconds, 1_000_000L);
        if (digits != 0) {
            out.write('.');
            for (int unit = 100_000; digits != 0; unit /= 10) {
                out.write('0' + digits / unit);
                digits %= unit;
            }
        }
        out.write('Z');
    }
}
