package peers;

import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.EventSender;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPEventService;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The statements of an EPL text, deployed. Those whose names begin with "answers" give the answers. */
final class Statements {
    private final EPEventService service;
    /** Whether a statement asks what time it is: else the times of events are enough. */
    private final boolean clocked;

    /** `types` are the local names of predicates; `subscriber` has a method `update(Object[])`. */
    Statements(List<String> types, String epl, long now, Object subscriber) throws Exception {
        clocked = epl.contains("#time(") || epl.contains("timer:");
        Configuration configuration = configuration(types);
        EPCompiled compiled = EPCompilerProvider.getCompiler().compile(epl, new CompilerArguments(configuration));
        EPRuntime runtime = EPRuntimeProvider.getDefaultRuntime(configuration);
        service = runtime.getEventService();
        service.advanceTime(now);
        for (EPStatement statement : runtime.getDeploymentService().deploy(compiled).getStatements()) {
            if (statement.getName().startsWith("answers")) {
                statement.setSubscriber(subscriber);
            }
        }
    }

    /** What is fastest with one thread: no timer, no locks, no order of threads to keep. */
    private static Configuration configuration(List<String> types) {
        Configuration configuration = new Configuration();
        types.forEach(type -> configuration.getCommon().addEventType(type, Event.class));
        configuration.getCommon().addImport(Classes.class);
        configuration.getCommon().getTimeSource().setTimeUnit(TimeUnit.MICROSECONDS);
        configuration.getCompiler().getByteCode().setAllowSubscriber(true);
        configuration.getRuntime().getExecution().setDisableLocking(true);
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        configuration.getRuntime().getThreading().setListenerDispatchPreserveOrder(false);
        configuration.getRuntime().getThreading().setInsertIntoDispatchPreserveOrder(false);
        return configuration;
    }

    /** What sends events of a predicate. */
    EventSender sender(String predicate) {
        return service.getEventSender(typeOf(predicate));
    }

    /** The local name of a predicate. */
    static String typeOf(String predicate) {
        return predicate.substring(Math.max(predicate.lastIndexOf(':'), predicate.lastIndexOf('#')) + 1);
    }

    /** Say what time it is, if a statement asks. */
    void advance(long moment) {
        if (clocked) {
            service.advanceTime(moment);
        }
    }

    /** Say what time it is. */
    void jump(long moment) {
        service.advanceTime(moment);
    }
}
