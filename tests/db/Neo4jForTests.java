/* Real Neo4j servers for tests: Neo4jForTests FOLDER COUNT starts so many in one process, each a database of its own
 * with a Bolt port on loopback, and prints "ready PORT…". The first wants a name and a password (neo4j, $NEO4J_PASSWORD)
 * and takes TLS, too, where FOLDER/tls has private.key and public.crt; the others want none.
 *
 * The property `pages` has the megabytes of each page cache. Then each line of standard input is a request, and each answer ends with a line ".", one that failed with "! why":
 *
 *     DATABASE <tab> CYPHER                             rows, their fields parted by tabs
 *     DATABASE <tab> path <tab> KIND FROM TO [PROPERTY DEFAULT [X Y FACTOR] | LENGTH]   as Neo4j's own path finders see it, by
 *                                                       node ids; the last field has the microseconds that it took
 *
 * The property `plugins` names a folder of plug-ins, whose procedures may do anything.
 */
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.BoltConnector.EncryptionLevel;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.configuration.ssl.ClientAuth;
import org.neo4j.configuration.ssl.SslPolicyConfig;
import org.neo4j.configuration.ssl.SslPolicyScope;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphalgo.BasicEvaluationContext;
import org.neo4j.graphalgo.CommonEvaluators;
import org.neo4j.graphalgo.GraphAlgoFactory;
import org.neo4j.graphalgo.WeightedPath;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.PathExpander;
import org.neo4j.graphdb.PathExpanders;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

public class Neo4jForTests {
    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static DatabaseManagementService start(Path home, int port, boolean guarded, Path tls) {
        SocketAddress address = new SocketAddress("127.0.0.1", port);
        DatabaseManagementServiceBuilder builder = new DatabaseManagementServiceBuilder(home)
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, address)
                .setConfig(BoltConnector.advertised_address, address)
                .setConfig(GraphDatabaseSettings.auth_enabled, guarded)
                .setConfig(GraphDatabaseSettings.pagecache_memory, Long.getLong("pages", 32L) << 20);
        String plugins = System.getProperty("plugins");
        if (plugins != null)
            builder.setConfig(GraphDatabaseSettings.plugin_dir, Path.of(plugins))
                    .setConfig(GraphDatabaseSettings.procedure_unrestricted, List.of("*"));
        if (guarded && Files.isDirectory(tls)) {
            SslPolicyConfig policy = SslPolicyConfig.forScope(SslPolicyScope.BOLT);
            builder.setConfig(policy.enabled, true)
                    .setConfig(policy.base_directory, tls)
                    .setConfig(policy.client_auth, ClientAuth.NONE)
                    .setConfig(BoltConnector.encryption_level, EncryptionLevel.OPTIONAL);
        }
        return builder.build();
    }

    private static String rows(GraphDatabaseService database, String query) {
        StringBuilder out = new StringBuilder();
        database.executeTransactionally(query, java.util.Map.of(), (Result result) -> {
            while (result.hasNext()) {
                var row = result.next();
                StringJoiner line = new StringJoiner("\t");
                for (String column : result.columns()) line.add(String.valueOf(row.get(column)));
                out.append(line).append('\n');
            }
            if (query.startsWith("PROFILE") || query.startsWith("EXPLAIN"))
                out.append(result.getExecutionPlanDescription()).append('\n');
            return null;
        });
        return out.toString();
    }

    private static double number(Node node, String property) {
        return ((Number) node.getProperty(property)).doubleValue();
    }

    @SuppressWarnings("removal")
    private static String path(GraphDatabaseService database, String request) {
        String[] words = request.split(" ");
        try (Transaction transaction = database.beginTx()) {
            Node from = transaction.getNodeById(Long.parseLong(words[1]));
            Node to = transaction.getNodeById(Long.parseLong(words[2]));
            PathExpander<Double> out = PathExpanders.forDirection(Direction.OUTGOING);
            var context = new BasicEvaluationContext(transaction, database);
            long start = System.nanoTime();
            if (words[0].equals("dijkstra") || words[0].equals("astar")) {
                var costs = CommonEvaluators.doubleCostEvaluator(words[3], Double.parseDouble(words[4]));
                var finder = words[0].equals("dijkstra")
                        ? GraphAlgoFactory.dijkstra(context, out, costs)
                        : GraphAlgoFactory.aStar(context, out, costs, (node, goal) -> Double.parseDouble(words[7]) * Math.hypot(
                                number(node, words[5]) - number(goal, words[5]),
                                number(node, words[6]) - number(goal, words[6])));
                WeightedPath found = finder.findSinglePath(from, to);
                return (found == null ? "none" : found.weight()) + "\t" + (System.nanoTime() - start) / 1000 + "\n";
            }
            int length = Integer.parseInt(words[3]), count = 0, hops = -1;
            var finder = switch (words[0]) {
                case "shortest" -> GraphAlgoFactory.shortestPath(context, out, length);
                case "all" -> GraphAlgoFactory.allPaths(context, out, length);
                case "simple" -> GraphAlgoFactory.allSimplePaths(context, out, length);
                default -> throw new IllegalArgumentException(words[0]);
            };
            for (var found : finder.findAllPaths(from, to)) {
                count++;
                hops = found.length();
            }
            return count + "\t" + hops + "\t" + (System.nanoTime() - start) / 1000 + "\n";
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]).toAbsolutePath();
        List<DatabaseManagementService> servers = new ArrayList<>();
        List<GraphDatabaseService> databases = new ArrayList<>();
        StringJoiner ports = new StringJoiner(" ", "ready ", "");
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            int port = freePort();
            servers.add(start(folder.resolve("home" + i), port, i == 0, folder.resolve("tls")));
            databases.add(servers.get(i).database("neo4j"));
            ports.add(String.valueOf(port));
        }
        servers.get(0).database("system").executeTransactionally("CREATE OR REPLACE USER neo4j SET PASSWORD '"
                + System.getenv("NEO4J_PASSWORD") + "' CHANGE NOT REQUIRED");
        System.out.println(ports);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null;) {
            String[] parts = line.split("\t", 3);
            try {
                GraphDatabaseService database = databases.get(Integer.parseInt(parts[0]));
                boolean paths = parts.length == 3 && parts[1].equals("path");
                System.out.print(paths ? path(database, parts[2]) : rows(database, parts[1]));
                System.out.println(".");
            } catch (Exception failure) {
                System.out.println("! " + String.valueOf(failure.getMessage()).replace('\n', ' '));
            }
        }
        Runtime.getRuntime().halt(0); // nothing here outlives the test
    }
}
