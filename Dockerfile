# make wheel && docker build -t etalis .
# docker run --rm -v "$PWD:/data" etalis run warm.rq --stream boxes.csv --map boxes.yml
FROM python:3.11-slim
COPY dist/etalis_py-*.whl /tmp/
RUN pip install --no-cache-dir /tmp/etalis_py-*.whl && rm /tmp/etalis_py-*.whl
WORKDIR /data
ENTRYPOINT ["etalis"]
