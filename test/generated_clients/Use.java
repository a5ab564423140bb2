import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.DeadApi;
import org.openapitools.client.api.JobApi;
import org.openapitools.client.api.SeriesApi;
import org.openapitools.client.model.DeadGroups;
import org.openapitools.client.model.DeadRequeueRequest;
import org.openapitools.client.model.JobLs200Response;
import org.openapitools.client.model.NewJob;
import org.openapitools.client.model.SeriesPauseRequest;

/** What an app in Java does with a client that openapi-generator has made. */
public final class Use {
    private Use() {}

    private static void expect(String what, Object seen, Object wanted) {
        if (!wanted.equals(seen)) {
            throw new IllegalStateException(what + ": " + seen + " instead of " + wanted);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient().setBasePath(arguments[0]);
        JobApi jobs = new JobApi(client);
        DeadApi dead = new DeadApi(client);
        SeriesApi series = new SeriesApi(client);

        for (NewJob job : List.of(
                new NewJob().handlerType("mail").payload(Map.of("order", 17)).tenantId("acme").priority(7),
                new NewJob().handlerType("mail").tenantId("other"),
                new NewJob().handlerType("noop").repeat("R/PT1H").series("hourly"))) {
            jobs.jobAdd(job).execute();
        }

        JobLs200Response page = jobs.jobLs().type(List.of("mail", "sms")).tenant(List.of("acme")).limit(10).free(true).execute();
        expect("jobs of the tenant", page.getItems().size(), 1);
        expect("their priority", page.getItems().get(0).getPriority(), 7);

        for (int i = 0; i < 3; ++i) {
            jobs.jobAdd(new NewJob().handlerType("http").payload(Map.of("target", 17))).execute();
        }
        List<DeadGroups> groups = dead.deadGroups().type(List.of("http")).execute();
        for (int tries = 0; tries < 600 && (groups.isEmpty() || groups.get(0).getJobs() != 3); ++tries) {
            Thread.sleep(100);
            groups = dead.deadGroups().type(List.of("http")).execute();
        }
        DeadRequeueRequest order = new DeadRequeueRequest().group(groups.get(0).getGroup()).yes(true);
        expect("requeued", dead.deadRequeue().deadRequeueRequest(order).execute().getRequeued(), 3);

        expect("series", series.seriesLs().execute().size(), 1);
        series.seriesPause().seriesPauseRequest(new SeriesPauseRequest().keys(List.of("hourly"))).execute();
        expect("state", series.seriesLs().execute().get(0).getState(), "paused");
        System.out.println("all as expected");
    }
}
