package peers;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/**
 * Flink over one stream: Peer EVENTS cep NAME WINDOW, or Peer EVENTS sql FILE.
 *
 * Each line of standard input asks for one run over all events, and gets one line of JSON: "check" with the
 * checksum of the answers, else without. Seconds are the processor's, from the first event to the end of the job;
 * the time to start a job does not count.
 */
public final class Peer {
    private Peer() {}

    static long processorTime() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] arguments) throws Exception {
        Events.read(Path.of(arguments[0]));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        for (String order; (order = orders.readLine()) != null; ) {
            System.out.println(run(arguments, "check".equals(order)));
            System.out.flush();
        }
    }

    private static String run(String[] arguments, boolean checking) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
        environment.getConfig().enableObjectReuse();
        DataStream<Event> events = environment.addSource(new Events(), TypeInformation.of(Event.class));
        DataStream<Row> rows = "cep".equals(arguments[1])
                ? Patterns.named(arguments[2], Long.parseLong(arguments[3]), events)
                : bySql(environment, events, Files.readString(Path.of(arguments[2])));
        rows.addSink(new Answers());
        Answers.begin(checking);
        System.gc();
        environment.execute();
        double seconds = (processorTime() - Events.began()) / 1e9;
        return String.format(
                Locale.ROOT,
                "{\"answers\": %d, \"checksum\": \"%s\", \"seconds\": %.4f, \"runs\": 1, \"seen\": %d}",
                Answers.count(), Long.toUnsignedString(Answers.sum()), seconds, Answers.seen());
    }

    private static DataStream<Row> bySql(
            StreamExecutionEnvironment environment, DataStream<Event> events, String query) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        Schema schema = Schema.newBuilder()
                .columnByMetadata("rowtime", "TIMESTAMP_LTZ(3)")
                .watermark("rowtime", "SOURCE_WATERMARK()")
                .build();
        tables.createTemporaryView("events", events, schema);
        return tables.toDataStream(tables.sqlQuery(query));
    }
}
